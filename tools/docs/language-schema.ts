import { format } from 'prettier';
import { defined } from '#defined';
import type { AttributeSchema, BlockSchema, NestedSchema, Variant } from '#domain/language/block-schema.ts';
import { pipelineSchema } from '#domain/language/pipeline-schema.ts';
import { notYet } from '#domain/pipeline/not-yet-run.ts';

export const SCHEMA_FILE = 'docs/reference/pipeline.schema.json';

type Json = { [key: string]: unknown };

/*
 * JSON schema of pipelines in HCL's JSON syntax: a block is an object with an object for each label inside,
 * several of a kind are a list, and any value may be a text with ${…}. For editors and programs that write
 * pipelines. Rules between values are left to the compiler.
 */
export function pipelineJsonSchema(): Promise<string> {
  const definitions: Json = {};
  const names = new Map<BlockSchema, string>();
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A pipeline of Millrace, in the JSON syntax of HCL',
    ...body(pipelineSchema, { definitions, names, path: '' }),
    $defs: definitions,
  };
  return format(JSON.stringify(schema), { parser: 'json', printWidth: 110 });
}

interface Around {
  definitions: Json;
  /** Blocks that occur in several places are defined once. */
  names: Map<BlockSchema, string>;
  path: string;
}

function body(schema: BlockSchema, around: Around): Json {
  const { attributes, blocks, open } = schema;
  const required = [
    ...Object.entries(attributes).filter(([, { required: needed }]) => needed === true),
    ...Object.entries(blocks).filter(([, { required: needed }]) => needed === true),
  ].map(([name]) => name);
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        Object.entries(attributes).map(([name, one]) => [name, attribute(name, one, around)]),
      ),
      ...Object.fromEntries(Object.entries(blocks).map(([name, one]) => [name, nested(name, one, around)])),
    },
    ...(required.length > 0 && { required }),
    additionalProperties: open === undefined ? false : parameter(open),
  };
}

const EXPRESSION = { type: 'string', pattern: '\\$\\{' };
const withExpression = (schema: Json): Json => ({ anyOf: [schema, EXPRESSION] });
const TEXTS = { type: 'array', items: { type: ['string', 'number', 'boolean'] } };

const types: Record<AttributeSchema['type'], (schema: AttributeSchema) => Json> = {
  string: ({ choices }) => (choices ? withExpression({ enum: choices }) : { type: 'string' }),
  bool: () => withExpression({ type: 'boolean' }),
  integer: ({ atLeast, atMost }) => withExpression({ type: 'integer', minimum: atLeast, maximum: atMost }),
  duration: () =>
    withExpression({ type: 'string', pattern: '^\\+?((\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))+$' }),
  strings: ({ choices }) =>
    withExpression(choices ? { type: 'array', items: withExpression({ enum: choices }) } : TEXTS),
  // In an open block a text attribute of this name is a parameter.
  environment: () => ({
    anyOf: [
      { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
      { type: 'string' },
    ],
  }),
  keyword: ({ choices }) => (choices ? { enum: choices } : { type: 'string' }),
  type: () => ({ type: 'string' }),
  constant: () => ({}),
  value: () => withExpression({ type: 'object' }),
};

const attribute = (name: string, schema: AttributeSchema, { path }: Pick<Around, 'path'>): Json => ({
  description: described(schema.about, path, name),
  ...types[schema.type](schema),
});

/** The description, with a note if the operator refuses it. */
function described(about: string, path: string, name: string): string {
  const later = notYet(path === '' ? [] : path.split('.'), name);
  if (later === false) return about;
  return later === true ? `not yet: ${about}` : `${about} (not yet: ${later})`;
}

const parameter = (open: 'text' | 'lists'): Json =>
  open === 'text'
    ? { type: ['string', 'number', 'boolean', 'null'] }
    : withExpression({ type: 'array', items: { type: ['string', 'number', 'boolean'] } });

/** One object or a list of them, within an object for each label. */
function nested(name: string, { schema, about, once }: NestedSchema, around: Around): Json {
  const path = around.path === '' ? name : `${around.path}.${name}`;
  const one = reference(schema, { ...around, path });
  const description = described(about, around.path, name);
  return { description, ...(once === true ? one : { anyOf: [one, { type: 'array', items: one }] }) };
}

function reference(schema: BlockSchema, around: Around): Json {
  const known = around.names.get(schema);
  const name = known ?? around.path;
  if (known === undefined) {
    around.names.set(schema, name);
    around.definitions[name] = {};
    around.definitions[name] = shaped(schema, around);
  }
  return { $ref: `#/$defs/${name}` };
}

function shaped(schema: BlockSchema, around: Around): Json {
  const own = schema.variants ? variants(schema, around) : labelled(schema, body(schema, around));
  if (schema.shorter) {
    const { schema: inner } = schema.shorter;
    const content = body(inner, around);
    return { anyOf: [content, labelled(inner, content), own] };
  }
  if (!schema.unlabelled) return own;
  // Without its label, a block starts with its body.
  return { anyOf: [body(schema.unlabelled, around), own] };
}

function labelled({ labels }: BlockSchema, inner: Json): Json {
  return labels.reduceRight<Json>(
    (schema) => ({ type: 'object', additionalProperties: schema, minProperties: 1 }),
    inner,
  );
}

/** The label selects the attributes; any other label is a runner of the pipeline. */
function variants(schema: BlockSchema, around: Around): Json {
  const bodyOf = ({ attributes, open }: Variant): Json =>
    body({ ...schema, attributes: { ...schema.attributes, ...attributes }, ...defined({ open }) }, around);
  const { variants: common = {}, customVariant } = schema;
  return {
    type: 'object',
    minProperties: 1,
    maxProperties: 1,
    properties: Object.fromEntries(Object.entries(common).map(([name, variant]) => [name, bodyOf(variant)])),
    additionalProperties: customVariant ? bodyOf(customVariant) : false,
  };
}
