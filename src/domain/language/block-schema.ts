/**
 * The schema of one kind of block. Pipelines are validated against it, and the reference is generated from
 * it. A name that is in neither `attributes` nor `blocks` is an error, unless `open` allows it.
 */
export interface BlockSchema {
  /** Name of each label, for messages and the reference. */
  labels: readonly string[];
  attributes: Readonly<Record<string, AttributeSchema>>;
  blocks: Readonly<Record<string, NestedSchema>>;
  /**
   * Allows attributes of any other name. `text`: parameters; a string, number or bool becomes a string.
   * `values`: parameters of any type, for the resource types that accept them. `lists`: axes of a matrix,
   * each a list of strings, numbers or bools.
   */
  open?: 'text' | 'values' | 'lists';
  /** By the name of a built-in runner: the attributes of a block with this first label. */
  variants?: Readonly<Record<string, Variant>>;
  /** The attributes that a block has if its first label is a runner that the pipeline declares. */
  customVariant?: Variant;
  /** Another schema for a block without labels. */
  unlabelled?: BlockSchema;
  /** A block with this attribute may have fewer labels; `schema` then applies instead. */
  shorter?: { attribute: string; schema: BlockSchema };
  /** A block may have no labels, and then keeps this schema. */
  optionalLabels?: boolean;
  /** Types of blocks that people write here by mistake, and why each is not allowed. */
  misplaced?: Readonly<Record<string, string>>;
}

export interface Variant {
  attributes: Readonly<Record<string, AttributeSchema>>;
  open?: 'text';
}

/**
 * `environment`: a map of strings. In a block with `open`, an `env` that is no map (`env = "text"`) is a
 * parameter of that name. `constant`: any value without references. `value`: any value. `keyword`: a bare
 * word. `type`: an HCL type. `duration`: text such as `90s` or `1h30m`, read as seconds.
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
   * The value can contain secrets, which only Pods of builds and checks see. Parameters of an open block
   * always can.
   */
  secret?: boolean;
  /** The allowed strings, list elements or words. */
  choices?: readonly string[];
  /** The range of an integer or, in seconds, of a duration. */
  atLeast?: number;
  atMost?: number;
}

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

/** A block that accepts any attributes as parameters. */
export const parameters: BlockSchema = { labels: [], attributes: {}, blocks: {}, open: 'text' };
/** A block that accepts any attributes as parameters, with values of any type. */
export const values: BlockSchema = { ...parameters, open: 'values' };
