/**
 * The schema of one kind of block. Millrace validates pipelines against it and generates the reference from
 * it. A name that is in neither `attributes` nor `blocks` is an error, unless `open` allows it.
 */
export interface BlockSchema {
  /** A name for each label that the block must have, for messages and the reference. */
  labels: readonly string[];
  attributes: Readonly<Record<string, AttributeSchema>>;
  blocks: Readonly<Record<string, NestedSchema>>;
  /**
   * Allows attributes of any other name. `text`: they are parameters, and a string, number or bool becomes a
   * string. `values`: they are parameters of any type, for resource types that accept them. `lists`: they are
   * the axes of a matrix, each a list of strings, numbers or bools.
   */
  open?: 'text' | 'values' | 'lists';
  /**
   * For a block whose first label is a runner: by the name of the built-in runner, the attributes that the
   * block has in addition.
   */
  variants?: Readonly<Record<string, Variant>>;
  /**
   * The attributes that a block has in addition if its first label is a runner that the pipeline declares.
   */
  customVariant?: Variant;
  /** The schema of a block without labels, if it differs. */
  unlabelled?: BlockSchema;
  /** If a block has fewer labels and this attribute, `schema` applies to the block instead. */
  shorter?: { attribute: string; schema: BlockSchema };
  /** The block can also have no labels. This schema applies then too. */
  optionalLabels?: boolean;
  /**
   * Types of blocks that people write here by mistake, and the reason why each is not allowed, for messages.
   */
  misplaced?: Readonly<Record<string, string>>;
}

/** The part of a schema that depends on the runner of a command. */
export interface Variant {
  attributes: Readonly<Record<string, AttributeSchema>>;
  open?: 'text';
}

/**
 * The type of an attribute's value. `strings`: a list of strings. `duration`: text such as `90s` or `1h30m`,
 * read as seconds. `keyword`: a bare word. `type`: an HCL type such as `list(string)`. `constant`: any value
 * without references. `value`: any value. `environment`: a map of strings; in a block with `open`, an
 * attribute whose value is not a map (`env = "text"`) is a parameter instead.
 */
type AttributeType =
  | 'string'
  | 'bool'
  | 'integer'
  | 'duration'
  | 'strings'
  | 'environment'
  | 'keyword'
  | 'type'
  | 'constant'
  | 'value';

export interface AttributeSchema {
  type: AttributeType;
  /** Description for the reference and the JSON Schema. */
  about: string;
  required?: boolean;
  /**
   * The value can contain secrets, because only Pods of builds and checks see it. The parameters of an open
   * block can always contain secrets.
   */
  secret?: boolean;
  /** The allowed strings, list elements or words. Absent: all are allowed. */
  choices?: readonly string[];
  /** The smallest and the largest allowed integer or duration. A duration is in seconds. */
  atLeast?: number;
  atMost?: number;
}

/** A kind of block inside another block. */
export interface NestedSchema {
  schema: BlockSchema;
  about: string;
  required?: boolean;
  /** The block may occur only once. */
  once?: boolean;
}

type OptionalFields = Partial<Omit<AttributeSchema, 'type' | 'about'>>;

export const string = (about: string, options: OptionalFields = {}): AttributeSchema => ({
  type: 'string',
  about,
  ...options,
});
export const strings = (about: string, options: OptionalFields = {}): AttributeSchema => ({
  type: 'strings',
  about,
  ...options,
});
export const bool = (about: string): AttributeSchema => ({ type: 'bool', about });
export const integer = (about: string, atLeast: number, atMost: number): AttributeSchema => ({
  type: 'integer',
  about,
  atLeast,
  atMost,
});

export const environment: AttributeSchema = {
  type: 'environment',
  about: 'Environment variables of the command by name: `{ NAME = "value" }`. Values can be secret.',
  secret: true,
};

const DAY = 24 * 60 * 60;

/** An attribute that holds a duration from one second to 30 days. */
export const duration = (about: string): AttributeSchema => ({
  type: 'duration',
  about,
  atLeast: 1,
  atMost: 30 * DAY,
});

/** A nested block that may occur any number of times. */
export const nested = (schema: BlockSchema, about: string): NestedSchema => ({ schema, about });
/** A nested block that may occur only once. */
export const once = (schema: BlockSchema, about: string): NestedSchema => ({ schema, about, once: true });

/** The schema of a block that accepts any attributes as parameters. */
export const parameters: BlockSchema = { labels: [], attributes: {}, blocks: {}, open: 'text' };
/** The schema of a block that accepts any attributes as parameters, with values of any type. */
export const values: BlockSchema = { ...parameters, open: 'values' };
