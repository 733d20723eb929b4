/**
 * How one kind of block may look, and what the reference says of it. Names that neither table has are
 * unknown, unless `open`.
 */
export interface BlockSchema {
  /** What each label says. */
  labels: readonly string[];
  attributes: Readonly<Record<string, AttributeSchema>>;
  blocks: Readonly<Record<string, NestedSchema>>;
  /**
   * Any other attribute is let in. `text`: a parameter, whose text, number or bool becomes text. `lists`: an
   * axis, a list of such values.
   */
  open?: 'text' | 'lists';
  /** The first label names one of these, or a runner of the pipeline, which says the attributes. */
  variants?: Readonly<Record<string, Variant>>;
  /** What a block of a runner of the pipeline holds. */
  customVariant?: Variant;
  /** The block may do without its label; then it looks like this. */
  unlabelled?: BlockSchema;
  /** With this attribute the block may have fewer labels; then it looks like this. */
  shorter?: { attribute: string; schema: BlockSchema };
  /** It may do without its labels. */
  optionalLabels?: boolean;
  /** Blocks that people try here, and why there are none. */
  misplaced?: Readonly<Record<string, string>>;
}

export interface Variant {
  attributes: Readonly<Record<string, AttributeSchema>>;
  open?: 'text';
}

/**
 * `environment`: a map of texts, and in an open block only if it is one; otherwise its name is a parameter's.
 * `constant`: any value, without references; `value`: any value; `keyword`: a bare word; `type`: a type of
 * HCL; `duration`: `90s` or `1h30m`, read as seconds.
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
  /** For the reference: what it is for. */
  about: string;
  required?: boolean;
  /**
   * A secret may stand in it: nothing but the Pod of a build will see it. Parameters of an open block may
   * always hold one.
   */
  secret?: boolean;
  /** The only texts, list elements or words that it takes. */
  choices?: readonly string[];
  /** Of an integer or, in seconds, a duration. */
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

export const text = (about: string, more: More = {}): AttributeSchema => ({ type: 'string', about, ...more });
export const texts = (about: string, more: More = {}): AttributeSchema => ({
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

/** At least one second, and no longer than anybody waits. */
export const duration = (about: string): AttributeSchema => ({
  type: 'duration',
  about,
  atLeast: 1,
  atMost: 30 * DAY,
});

export const nested = (schema: BlockSchema, about: string): NestedSchema => ({ schema, about });
export const once = (schema: BlockSchema, about: string): NestedSchema => ({ schema, about, once: true });

/** A block of parameters: any attributes. */
export const parameters: BlockSchema = { labels: [], attributes: {}, blocks: {}, open: 'text' };
