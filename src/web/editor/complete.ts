import type { AttributeSchema, BlockSchema } from '#domain/language/block-schema.ts';
import { pipelineSchema } from '#domain/language/pipeline-schema.ts';
import { placeIn, type OpenBlock, type TextPlace } from './block-path.ts';
import { declaredIn, type Declared } from './declared.ts';

/** A type that comes with Millrace. */
export interface KnownType {
  /** The block that defines such types: `resource_type`. */
  kind: string;
  name: string;
  params: readonly string[];
  description: string;
}

export interface Suggestion {
  label: string;
  kind: 'block' | 'attribute' | 'value';
  /** A sentence about it. */
  about: string;
  /** What is inserted; `${}` and `${word}` are places to fill in. Absent: the label. */
  template?: string;
}

export interface Suggestions {
  /** Where the text begins that a suggestion replaces. */
  from: number;
  suggestions: Suggestion[];
}

/** What may stand at a place of a pipeline's text. */
export function suggestAt(text: string, position: number, types: readonly KnownType[]): Suggestions {
  const place = placeIn(text, position);
  return { from: place.from, suggestions: suggestionsFor(place, { types, declared: declaredIn(text) }) };
}

interface Known {
  types: readonly KnownType[];
  declared: Declared;
}

function suggestionsFor(place: TextPlace, known: Known): Suggestion[] {
  if (place.inside === 'other') return [];
  const schema = schemaOf(place.blocks, known);
  if (place.attribute !== undefined) return valuesOf(schema, place, known);
  if (place.inside === 'string') return labelsOf(place, known);
  if (place.header.length > 0 || schema === undefined || place.blocks.at(-1)?.name === '') return [];
  return [...attributesOf(schema), ...blocksOf(schema)];
}

/** The schema of the innermost block. */
function schemaOf(blocks: readonly OpenBlock[], known: Known): BlockSchema | undefined {
  let schema: BlockSchema | undefined = pipelineSchema;
  let around: OpenBlock | undefined;
  for (const block of blocks) {
    if (block.name === '') continue;
    const found: BlockSchema | undefined = schema?.blocks[block.name]?.schema;
    schema = found && withParameters(shapeOf(found, block.labels), block, around, known);
    around = block;
  }
  return schema;
}

/** The labels of a block decide which attributes it has. */
function shapeOf(schema: BlockSchema, labels: readonly string[]): BlockSchema {
  if (labels.length === 0 && schema.unlabelled !== undefined) return schema.unlabelled;
  if (labels.length < schema.labels.length && schema.shorter !== undefined) return schema.shorter.schema;
  const variant = schema.variants?.[labels[0] ?? ''];
  return variant === undefined
    ? schema
    : { ...schema, attributes: { ...schema.attributes, ...variant.attributes } };
}

const TYPE_BLOCKS: Readonly<Record<string, string>> = {
  resource: 'resource_type',
  notification: 'notification_type',
  secret: 'secret_type',
  service: 'service_type',
};

/** Adds the parameters of the type: `params` of a resource, and of a service or secret the block itself. */
function withParameters(
  schema: BlockSchema,
  block: OpenBlock,
  around: OpenBlock | undefined,
  { types }: Known,
): BlockSchema {
  const holder = block.name === 'params' ? around : schema.open === undefined ? undefined : block;
  const kind = TYPE_BLOCKS[holder?.name ?? ''];
  const type = types.find((one) => one.kind === kind && one.name === holder?.labels[0]);
  if (type === undefined) return schema;
  const about = `Parameter of the type ${type.name}.`;
  const parameters = type.params.map((name): [string, AttributeSchema] => [name, { type: 'string', about }]);
  return { ...schema, attributes: { ...Object.fromEntries(parameters), ...schema.attributes } };
}

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

const value = (label: string, about = ''): Suggestion => ({ label, kind: 'value', about });

function valuesOf(
  schema: BlockSchema | undefined,
  { attribute = '', inside }: TextPlace,
  { declared }: Known,
): Suggestion[] {
  const found = schema?.attributes[attribute];
  if (found === undefined) return [];
  const isText = inside === 'string';
  if (attribute === 'passed' && isText)
    return declared.jobs.map((name) => value(name, 'Job of this pipeline.'));
  if (found.choices !== undefined && isText !== (found.type === 'keyword'))
    return found.choices.map((choice) => value(choice));
  return found.type === 'bool' && !isText ? ['true', 'false'].map((word) => value(word)) : [];
}

/** What may stand in the label that the place is in. */
function labelsOf({ header, blocks }: TextPlace, known: Known): Suggestion[] {
  const [block = '', ...before] = header;
  if (blocks.length === 0 || block === 'service' || block === 'secret')
    return before.length === 0 ? typesOf(TYPE_BLOCKS[block], known) : [];
  if (['get', 'put'].includes(block)) return resourcesOf(before, known.declared.resources);
  if (block === 'notify') return resourcesOf(before, known.declared.notifications);
  return before.length === 0 ? runnersOf(block, blocks, known) : [];
}

const typesOf = (kind: string | undefined, { types }: Known): Suggestion[] =>
  types.flatMap((type) => (type.kind === kind ? [value(type.name, type.description)] : []));

/** The first label is the type, the second the name. */
function resourcesOf([type]: readonly string[], declared: Declared['resources']): Suggestion[] {
  if (type !== undefined) return declared.flatMap((one) => (one.type === type ? [value(one.name)] : []));
  return [...new Set(declared.map((one) => one.type))].map((name) => value(name, 'Type of a resource here.'));
}

/** A block that says what to run has the runner as its label. */
function runnersOf(name: string, blocks: readonly OpenBlock[], known: Known): Suggestion[] {
  const schema = schemaOf(blocks, known)?.blocks[name]?.schema;
  if (schema?.variants === undefined) return [];
  const { variants } = schema;
  return typesOf('runner_type', known).filter(({ label }) => Object.hasOwn(variants, label));
}
