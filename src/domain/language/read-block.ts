import type { AttributeSchema, BlockSchema, NestedSchema, Variant } from './block-schema.ts';
import { checkLabels, reportMissing, reportMissingAttribute, type Owner } from './check-block.ts';
import { diagnose } from './diagnostic.ts';
import { dependsOnUnknown, type Reader } from './evaluate-expression.ts';
import {
  explainUnknownAttribute,
  explainUnknownBlock,
  explainUnknownRunner,
  innerBlock,
} from './explain-unknown.ts';
import type { InstanceName } from './in-instances.ts';
import {
  meansParameter,
  readAttribute,
  readAxis,
  readParameter,
  type AttributeValue,
  type EnvironmentVariable,
  type Text,
} from './read-attribute.ts';
import { closest } from './suggest.ts';
import type { Attribute, Block, Body, Expression, Label, Range, Value } from './syntax.ts';

/** A block as its schema says: only known things, with their values. What was wrong has been reported. */
export interface ReadBlock {
  type: string;
  /** As many as the schema has; none where the block did without its label. */
  labels: Label[];
  /** The block's header. */
  range: Range;
  attributes: ReadonlyMap<string, ReadAttribute>;
  /** Attributes of an open block that its schema does not name, in order. */
  parameters: Parameter[];
  /** Attributes of a block of lists. */
  axes: Axis[];
  /** In order. */
  blocks: ReadBlock[];
  /**
   * Names of blocks and parameters that are there, but could not be read or are not known yet: they only seem
   * to be missing.
   */
  misread: ReadonlySet<string>;
  /** Set for a resource of a group. */
  instance?: InstanceName;
}

interface ReadAttribute {
  nameRange: Range;
  /** Of its value. */
  range: Range;
  /** Absent: wrong, and reported. */
  value?: AttributeValue;
}

export interface Parameter extends Text {
  name: string;
  nameRange: Range;
}

export interface Axis {
  name: string;
  nameRange: Range;
  range: Range;
  items: Value[];
}

/** What a block says, or undefined after reporting why nothing can be made of it. */
export function readBlock(reader: Reader, block: Block, schema: BlockSchema): ReadBlock | undefined {
  const chosen = choose(reader, block, schema);
  if (!chosen) {
    checkLabels(reader, block, schema);
    return undefined;
  }
  const content = readBody(reader, block.body, chosen, { name: block.type, range: block.range });
  const { uncertain, ...known } = content;
  if (!checkLabels(reader, block, chosen) || uncertain) return undefined;
  return { type: block.type, labels: block.labels, range: block.range, ...known };
}

/** The shape that the block's label asks for. */
function choose(reader: Reader, block: Block, schema: BlockSchema): BlockSchema | undefined {
  if (schema.unlabelled && block.labels.length === 0) return schema.unlabelled;
  const { shorter } = schema;
  if (shorter && block.labels.length < schema.labels.length && hasAttribute(block, shorter.attribute))
    return shorter.schema;
  const [label] = block.labels;
  if (!schema.variants || !label) return schema.variants ? undefined : schema;
  const variant = findVariant(reader, label.text, schema);
  if (!variant) {
    reader.report(explainUnknownRunner(label, Object.keys(schema.variants), reader.runners));
    return undefined;
  }
  return { ...schema, ...variant, attributes: { ...variant.attributes, ...schema.attributes } };
}

const hasAttribute = ({ body }: Block, name: string): boolean =>
  body.items.some((item) => item.kind === 'attribute' && item.name === name);

function findVariant({ runners }: Reader, name: string, schema: BlockSchema): Variant | undefined {
  const common = find(schema.variants ?? {}, name);
  if (!runners.has(name) || !schema.customVariant) return common;
  // A runner that replaces a common one is called as that one is.
  return common ? { attributes: common.attributes, open: 'text' } : schema.customVariant;
}

type Content = Pick<ReadBlock, 'attributes' | 'parameters' | 'axes' | 'blocks' | 'misread'> & {
  /**
   * An attribute depends on a value that nobody knows yet: it may be anything, and may as well be missing.
   */
  uncertain: boolean;
};

/** Reads what is inside. */
export function readBody(reader: Reader, body: Body, schema: BlockSchema, owner: Owner): Content {
  const target: Target = {
    schema,
    owner: owner.name,
    attributes: new Map(),
    parameters: [],
    axes: [],
    blocks: [],
    misread: new Set(),
    seen: new Set(),
    uncertain: false,
  };
  for (const item of body.items) {
    if (item.kind === 'block') readNested(reader, item, target);
    else readOne(reader, item, target);
    target.seen.add(item.kind === 'block' ? item.type : item.name);
  }
  if (!reader.partial) reportMissing(reader, schema, owner, target.seen);
  const { attributes, parameters, axes, blocks, misread, uncertain } = target;
  return { attributes, parameters, axes, blocks, misread, uncertain };
}

interface Target {
  schema: BlockSchema;
  owner: string;
  attributes: Map<string, ReadAttribute>;
  parameters: Parameter[];
  axes: Axis[];
  blocks: ReadBlock[];
  misread: Set<string>;
  seen: Set<string>;
  uncertain: boolean;
}

function readOne(reader: Reader, attribute: Attribute, target: Target): void {
  const { schema, owner } = target;
  const { name, nameRange, expression } = attribute;
  const known = find(schema.attributes, name);
  const block = find(schema.blocks, name);
  if (known && !meansParameter(reader, expression, known, schema))
    readKnown(reader, attribute, known, target);
  else if (schema.open && !(block && expression.entries)) readOpen(reader, attribute, target);
  else if (block) {
    target.misread.add(name);
    const message = `${name} is a block in ${owner}, not an attribute`;
    const labels = block.schema.labels.map((label) => ` "<${label}>"`).join('');
    const help = `Write ${name}${labels} { … } without the equals sign.`;
    reader.report(diagnose('block-expected', nameRange, message, help));
  } else readUnknown(reader, attribute, target);
}

/**
 * What it was probably meant to be is there, though it says nothing: that it were missing would be told in
 * vain.
 */
function readUnknown(reader: Reader, attribute: Attribute, target: Target): void {
  const { name, nameRange, expression } = attribute;
  reader.report(explainUnknownAttribute(attribute, target.schema, target.owner));
  // What stands in the wrong place is not missing.
  const [block] = innerBlock(name, target.schema) ?? [];
  if (block !== undefined) target.seen.add(block);
  if (block !== undefined) target.misread.add(block);
  else if (Object.hasOwn(target.schema.blocks, 'params')) target.misread.add(name);
  const meant = closest(name, Object.keys(target.schema.attributes));
  if (meant === undefined || target.seen.has(meant)) return;
  target.seen.add(meant);
  target.attributes.set(meant, { nameRange, range: expression.range });
}

function readKnown(reader: Reader, attribute: Attribute, schema: AttributeSchema, target: Target): void {
  const { name, nameRange, expression } = attribute;
  const { range } = expression;
  const value = readAttribute(reader, attribute, schema);
  target.uncertain ||= dependsOnUnknown(reader, expression);
  if (value !== null) target.attributes.set(name, { nameRange, range, ...(value && { value }) });
  else if (schema.required === true) reportMissingAttribute(reader, name, range, target.owner);
}

function readOpen(reader: Reader, attribute: Attribute, target: Target): void {
  const { name, nameRange, expression } = attribute;
  const { range } = expression;
  if (target.schema.open === 'lists') {
    const items = readAxis(reader, attribute);
    if (items === undefined) target.misread.add(name);
    else if (items !== null) target.axes.push({ name, nameRange, range, items });
    return;
  }
  const text = readParameter(reader, attribute);
  if (text === undefined) target.misread.add(name);
  else if (text !== null) target.parameters.push({ name, nameRange, text, range });
}

function readNested(reader: Reader, block: Block, { schema, owner, seen, misread, blocks }: Target): void {
  const known: NestedSchema | undefined = find(schema.blocks, block.type);
  if (!known) {
    reader.report(explainUnknownBlock(block, schema, owner));
    if (meansKnown(block.type, schema)) misread.add(block.type);
    return undefined;
  }
  const read = readBlock(reader, block, known.schema);
  if (known.once === true && seen.has(block.type)) {
    const message = `${owner} may have ${block.type} only once`;
    return reader.report(diagnose('duplicate-block', block.range, message));
  }
  if (read) blocks.push(read);
  else misread.add(block.type);
  return undefined;
}

/** A slip, or known elsewhere: what is missing without it is not worth a word. */
function meansKnown(type: string, { blocks, misplaced = {} }: BlockSchema): boolean {
  return Object.hasOwn(misplaced, type) || closest(type, Object.keys(blocks)) !== undefined;
}

function find<Entry>(record: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export function textAt({ attributes }: ReadBlock, name: string): Text | undefined {
  const attribute = attributes.get(name);
  return attribute?.value?.kind === 'string'
    ? { text: attribute.value.text, range: attribute.range }
    : undefined;
}

export function boolAt({ attributes }: ReadBlock, name: string): boolean | undefined {
  const value = attributes.get(name)?.value;
  return value?.kind === 'bool' ? value.value : undefined;
}

/** Of an integer, or of a duration in seconds. */
export function numberAt({ attributes }: ReadBlock, name: string): number | undefined {
  const value = attributes.get(name)?.value;
  return value?.kind === 'number' ? value.number : undefined;
}

/** Of a list of which every element is right. */
export function textsAt(block: ReadBlock, name: string): Text[] {
  const value = block.attributes.get(name)?.value;
  return value?.kind === 'strings' && !value.incomplete ? value.items : [];
}

/** Those elements of a list that are right: for names, which are known or not whatever stands beside them. */
export function namesAt({ attributes }: ReadBlock, name: string): Text[] {
  const value = attributes.get(name)?.value;
  return value?.kind === 'strings' ? value.items : [];
}

/**
 * The place of a list that an expression made empty: what was written names something, and nothing is left of
 * it.
 */
export function emptiedAt({ attributes }: ReadBlock, name: string): Range | undefined {
  const attribute = attributes.get(name);
  const value = attribute?.value;
  const emptied =
    value?.kind === 'strings' && value.items.length === 0 && !value.written && !value.incomplete;
  return emptied ? attribute?.range : undefined;
}

export function environmentAt({ attributes }: ReadBlock, name: string): EnvironmentVariable[] {
  const value = attributes.get(name)?.value;
  return value?.kind === 'environment' ? value.variables : [];
}

export function wordAt({ attributes }: ReadBlock, name: string): string | undefined {
  const value = attributes.get(name)?.value;
  return value?.kind === 'keyword' ? value.word : undefined;
}

export function typeAt({ attributes }: ReadBlock, name: string): Expression | undefined {
  const value = attributes.get(name)?.value;
  return value?.kind === 'type' ? value.expression : undefined;
}

/** Of a constant or of any value. */
export function valueAt({ attributes }: ReadBlock, name: string): Value | undefined {
  const value = attributes.get(name)?.value;
  return value?.kind === 'value' ? value.value : undefined;
}

export const blocksOf = ({ blocks }: ReadBlock, type: string): ReadBlock[] =>
  blocks.filter((block) => block.type === type);

/** The label at a place that the schema says exists. */
export function labelAt({ labels, range }: ReadBlock, index: number): Label {
  return labels[index] ?? { text: '', range };
}
