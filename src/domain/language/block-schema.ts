/**
 * Schema of one kind of block. It validates, and the reference is generated from it. Names in neither table
 * are unknown, unless `open`.
 */
export interface BlockSchema {
  /** Name of each label, for messages and the reference. */
  labels: readonly string[];
  attributes: Readonly<Record<string, AttributeSchema>>;
  blocks: Readonly<Record<string, NestedSchema>>;
  /**
   * Accepts any other attribute. `text`: a parameter, whose string, number or bool becomes a string. `values`:
   * a parameter of any type; only some users of it accept more than a text. `lists`: an axis, a list of such
   * values.
   */
  open?: 'text' | 'values' | 'lists';
  /** The attributes of each built-in runner, by the first label. */
  variants?: Readonly<Record<string, Variant>>;
  /** Attributes of a block whose label is a runner of the pipeline. */
  customVariant?: Variant;
  /** Schema of the block without its label, if that is allowed. */
  unlabelled?: BlockSchema;
  /** With this attribute the block can have fewer labels, and has this schema. */
  shorter?: { attribute: string; schema: BlockSchema };
  /** The labels are optional. */
  optionalLabels?: boolean;
  /** Blocks that people write here by mistake, and why they are not allowed. */
  misplaced?: Readonly<Record<string, string>>;
}

export interface Variant {
  attributes: Readonly<Record<string, AttributeSchema>>;
  open?: 'text';
}

/**
 * `environment`: a map of strings; in an open block, any other value is a parameter of that name. `constant`:
 * any value without references. `value`: any value. `keyword`: a bare word. `type`: an HCL type. `duration`:
 * `90s` or `1h30m`, in seconds.
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
   * The value can contain secrets, which only the Pod of a build sees. Parameters of an open block always
   * can.
   */
  secret?: boolean;
  /** The allowed strings, list elements or words. */
  choices?: readonly string[];
  /** Range of an integer or, in seconds, of a duration. */
  atLeast?: number;
  atMost?: number;
}

export interface NestedSchema {
  schema: BlockSchema;
  about: string;
  required?: boolean;
  once?: boolean;
}

type More = Partial<Omit<AttributeSchema, 'type' | 'about'>>;

export const string = (about: string, more: More = {}): AttributeSchema => ({
  type: 'string',
  about,
  ...more,
});
export const strings = (about: string, more: More = {}): AttributeSchema => ({
  type: 'strings',
  about,
  ...more,
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

/** From one second to 30 days. */
export const duration = (about: string): AttributeSchema => ({
  type: 'duration',
  about,
  atLeast: 1,
  atMost: 30 * DAY,
});

export const nested = (schema: BlockSchema, about: string): NestedSchema => ({ schema, about });
export const once = (schema: BlockSchema, about: string): NestedSchema => ({ schema, about, once: true });

/** A block that accepts any attributes as parameters. */
export const parameters: BlockSchema = { labels: [], attributes: {}, blocks: {}, open: 'text' };
/** The same, with values of any type. */
export const values: BlockSchema = { ...parameters, open: 'values' };
