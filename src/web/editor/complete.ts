import type { AttributeSchema, BlockSchema } from '#domain/language/block-schema.ts';
import { pipelineSchema } from '#domain/language/pipeline-schema.ts';
import { placeIn, type OpenBlock, type TextPlace } from './block-path.ts';
import { declaredIn, type Declared } from './declared.ts';

/** A type that comes with Millrace. */
export interface KnownType {
  /** The block that defines such types, for example `resource_type`. */
  kind: string;
  name: string;
  params: readonly string[];
  description: string;
}

export interface Suggestion {
  label: string;
  kind: 'block' | 'attribute' | 'value';
  /** A sentence about the suggestion; empty for some values. */
  about: string;
  /** What is inserted; `${}` and `${word}` are places to fill in. Absent: the label. */
  template?: string;
}

export interface Suggestions {
  /** The beginning of the text that a suggestion replaces. */
  from: number;
  suggestions: Suggestion[];
}

/** The suggestions for a position of a pipeline's text. */
export function suggestAt(text: string, position: number, types: readonly KnownType[]): Suggestions {
  const place = placeIn(text, position);
  return { from: place.from, suggestions: suggestionsFor(place, { types, declared: declaredIn(text) }) };
}

interface KnownNames {
  types: readonly KnownType[];
  declared: Declared;
}

function suggestionsFor(place: TextPlace, known: KnownNames): Suggestion[] {
  if (place.inside === 'other') return [];
  const schema = schemaOf(place.blocks, known);
  if (place.attribute !== undefined) return valuesOf(schema, place, known);
  if (place.inside === 'string') return labelsOf(place, known);
  if (place.header.length > 0 || schema === undefined || place.blocks.at(-1)?.name === '') return [];
  return [...attributesOf(schema), ...blocksOf(schema)];
}

/** The schema of the innermost block; undefined if the language has no such block there. */
function schemaOf(blocks: readonly OpenBlock[], known: KnownNames): BlockSchema | undefined {
  let schema: BlockSchema | undefined = pipelineSchema;
  let outer: OpenBlock | undefined;
  for (const block of blocks) {
    if (block.name === '') continue;
    const found: BlockSchema | undefined = schema?.blocks[block.name]?.schema;
    schema = found && withParameters(shapeOf(found, block.labels), block, outer, known);
    outer = block;
  }
  return schema;
}

/** The schema of a block with these labels: they decide which attributes the block has. */
function shapeOf(schema: BlockSchema, labels: readonly string[]): BlockSchema {
  if (labels.length === 0 && schema.unlabelled !== undefined) return schema.unlabelled;
  if (labels.length < schema.labels.length && schema.shorter !== undefined) return schema.shorter.schema;
  const variant = schema.variants?.[labels[0] ?? ''];
  return variant === undefined
    ? schema
    : { ...schema, attributes: { ...schema.attributes, ...variant.attributes } };
}

/** The block that defines types, by the name of the block that uses them. */
const TYPE_BLOCKS: Readonly<Record<string, string>> = {
  resource: 'resource_type',
  notification: 'notification_type',
  secret: 'secret_type',
  service: 'service_type',
};

/** Adds the parameters of a type to the block that sets them: `params`, or a service or secret itself. */
function withParameters(
  schema: BlockSchema,
  block: OpenBlock,
  outer: OpenBlock | undefined,
  { types }: KnownNames,
): BlockSchema {
  const holder = typedBlock(schema, block, outer);
  const kind = TYPE_BLOCKS[holder?.name ?? ''];
  const type = types.find((candidate) => candidate.kind === kind && candidate.name === holder?.labels[0]);
  if (type === undefined) return schema;
  const about = `Parameter of the type ${type.name}.`;
  const parameters = type.params.map((name): [string, AttributeSchema] => [name, { type: 'string', about }]);
  return { ...schema, attributes: { ...Object.fromEntries(parameters), ...schema.attributes } };
}

/**
 * Finds the type whose parameters `block` sets: returns the block whose first label names this type.
 * Undefined: `block` sets no parameters of a type.
 */
function typedBlock(
  schema: BlockSchema,
  block: OpenBlock,
  outer: OpenBlock | undefined,
): OpenBlock | undefined {
  if (block.name === 'params') return outer;
  return schema.open === undefined ? undefined : block;
}

/** The template of a value, by the type of its attribute. */
const VALUES: Partial<Record<AttributeSchema['type'], string>> = {
  string: '"${}"',
  duration: '"${}"',
  strings: '["${}"]',
  bool: '${true}',
  environment: '{ ${NAME} = "${value}" }',
};

function attributesOf({ attributes }: BlockSchema): Suggestion[] {
  return Object.entries(attributes).map(([label, { about, type }]) => ({
    label,
    kind: 'attribute',
    about,
    template: `${label} = ${VALUES[type] ?? '${}'}`,
  }));
}

function blocksOf({ blocks }: BlockSchema): Suggestion[] {
  return Object.entries(blocks).map(([label, { schema, about }]) => ({
    label,
    kind: 'block',
    about,
    template: [label, ...schema.labels.map((name) => `"\${${name}}"`), '{\n\t${}\n}'].join(' '),
  }));
}

const toValue = (label: string, about = ''): Suggestion => ({ label, kind: 'value', about });

function valuesOf(
  schema: BlockSchema | undefined,
  { attribute = '', inside }: TextPlace,
  { declared }: KnownNames,
): Suggestion[] {
  const found = schema?.attributes[attribute];
  if (found === undefined) return [];
  const isText = inside === 'string';
  if (attribute === 'passed' && isText)
    return declared.jobs.map((name) => toValue(name, 'Job of this pipeline.'));
  // A keyword is written without quotes, any other choice within quotes.
  if (found.choices !== undefined && isText !== (found.type === 'keyword'))
    return found.choices.map((choice) => toValue(choice));
  return found.type === 'bool' && !isText ? ['true', 'false'].map((word) => toValue(word)) : [];
}

/** The suggestions for a label. */
function labelsOf({ header, blocks }: TextPlace, known: KnownNames): Suggestion[] {
  const [block = '', ...before] = header;
  if (blocks.length === 0 || block === 'service' || block === 'secret')
    return before.length === 0 ? typesOf(TYPE_BLOCKS[block], known) : [];
  if (['get', 'put'].includes(block)) return declaredOf(before, known.declared.resources, 'resource');
  if (block === 'notify') return declaredOf(before, known.declared.notifications, 'notification');
  return before.length === 0 ? runnersOf(block, blocks, known) : [];
}

const typesOf = (kind: string | undefined, { types }: KnownNames): Suggestion[] =>
  types.flatMap((type) => (type.kind === kind ? [toValue(type.name, type.description)] : []));

/**
 * The suggestions for a block that refers to a declared resource or notification: the types for its first
 * label, and for its second label the names of the given type.
 */
function declaredOf(
  [type]: readonly string[],
  declared: Declared['resources'],
  noun: 'resource' | 'notification',
): Suggestion[] {
  if (type !== undefined)
    return declared.flatMap((resource) => (resource.type === type ? [toValue(resource.name)] : []));
  const types = new Set(declared.map((resource) => resource.type));
  return [...types].map((name) => toValue(name, `Type of a ${noun} of this pipeline.`));
}

/** The suggestions for the label of a block that says what to run: the runners that the block allows. */
function runnersOf(name: string, blocks: readonly OpenBlock[], known: KnownNames): Suggestion[] {
  const schema = schemaOf(blocks, known)?.blocks[name]?.schema;
  if (schema?.variants === undefined) return [];
  const { variants } = schema;
  return typesOf('runner_type', known).filter(({ label }) => Object.hasOwn(variants, label));
}
