import type { AttributeSchema, BlockSchema, NestedSchema, Variant } from './block-schema.ts';
import { checkLabels, reportMissing, reportMissingAttribute, type Owner } from './check-block.ts';
import { diagnose, type Diagnostic } from './diagnostic.ts';
import { dependsOnUnknown, type BlockReader } from './evaluate-expression.ts';
import {
  explainUnknownAttribute,
  explainUnknownBlock,
  explainUnknownRunner,
  innerBlock,
} from './explain-unknown.ts';
import type { InstanceName } from './in-instances.ts';
import type { AsJson } from './json-value.ts';
import {
  isMeantAsParameter,
  readAnyParameter,
  readAttribute,
  readAxis,
  readParameter,
  type AttributeValue,
  type LocatedString,
} from './read-attribute.ts';
import { closestName } from './suggest.ts';
import type { Attribute, Block, Body, Label, Range, Value } from './syntax.ts';

/**
 * A block after validation against its schema: known parts only, with their values. Errors have been
 * reported.
 */
export interface ReadBlock {
  type: string;
  /** As many labels as the schema has, or none if the block omits its label. */
  labels: Label[];
  /** Range of the header. */
  range: Range;
  attributes: ReadonlyMap<string, ReadAttribute>;
  /** Attributes of an open block that its schema does not name, in order. */
  parameters: Parameter[];
  /** Attributes of a matrix. */
  axes: Axis[];
  /** Nested blocks, in order. */
  blocks: ReadBlock[];
  /**
   * Names of blocks and parameters that are present but could not be read, or are still unknown. They must
   * not be reported as missing.
   */
  misread: ReadonlySet<string>;
  /** The instance, for a resource of a group. */
  instance?: InstanceName;
}

interface ReadAttribute {
  nameRange: Range;
  /** Range of the value. */
  range: Range;
  /** Absent if an error was reported. */
  value?: AttributeValue;
}

export interface Parameter extends LocatedString {
  name: string;
  nameRange: Range;
  /** Present if the block accepts values of any type. */
  json?: AsJson;
  /** Why it is no text, which is then empty: a diagnostic for those who need one. */
  problem?: Diagnostic;
}

export interface Axis {
  name: string;
  nameRange: Range;
  range: Range;
  items: Value[];
}

/** Reads a block. Returns undefined after reporting an error that makes it unusable. */
export function readBlock(reader: BlockReader, block: Block, schema: BlockSchema): ReadBlock | undefined {
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

/** The schema for the label of the block. */
function choose(reader: BlockReader, block: Block, schema: BlockSchema): BlockSchema | undefined {
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

function findVariant({ runners }: BlockReader, name: string, schema: BlockSchema): Variant | undefined {
  const common = find(schema.variants ?? {}, name);
  if (!runners.has(name) || !schema.customVariant) return common;
  // A runner that overrides a built-in one takes the same attributes.
  return common ? { attributes: common.attributes, open: 'text' } : schema.customVariant;
}

type Content = Pick<ReadBlock, 'attributes' | 'parameters' | 'axes' | 'blocks' | 'misread'> & {
  /** An attribute depends on an unknown value, which could also be null. */
  uncertain: boolean;
};

/** Reads the attributes and nested blocks of a body. */
export function readBody(reader: BlockReader, body: Body, schema: BlockSchema, owner: Owner): Content {
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

function readOne(reader: BlockReader, attribute: Attribute, target: Target): void {
  const { schema, owner } = target;
  const { name, nameRange, expression } = attribute;
  const known = find(schema.attributes, name);
  const block = find(schema.blocks, name);
  if (known && !isMeantAsParameter(reader, expression, known, schema))
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

/** Counts the name that was probably meant as present, so that it is not reported as missing too. */
function readUnknown(reader: BlockReader, attribute: Attribute, target: Target): void {
  const { name, nameRange, expression } = attribute;
  reader.report(explainUnknownAttribute(attribute, target.schema, target.owner));
  // A block that is written as an attribute, or in a wrong place, is not missing.
  const [block] = innerBlock(name, target.schema) ?? [];
  if (block !== undefined) target.seen.add(block);
  if (block !== undefined) target.misread.add(block);
  else if (Object.hasOwn(target.schema.blocks, 'params')) target.misread.add(name);
  const meant = closestName(name, Object.keys(target.schema.attributes));
  if (meant === undefined || target.seen.has(meant)) return;
  target.seen.add(meant);
  target.attributes.set(meant, { nameRange, range: expression.range });
}

function readKnown(reader: BlockReader, attribute: Attribute, schema: AttributeSchema, target: Target): void {
  const { name, nameRange, expression } = attribute;
  const { range } = expression;
  const value = readAttribute(reader, attribute, schema);
  target.uncertain ||= dependsOnUnknown(reader, expression);
  if (value !== null) target.attributes.set(name, { nameRange, range, ...(value && { value }) });
  else if (schema.required === true) reportMissingAttribute(reader, name, range, target.owner);
}

function readOpen(reader: BlockReader, attribute: Attribute, target: Target): void {
  if (target.schema.open === 'lists') return readOpenAxis(reader, attribute, target);
  if (target.schema.open === 'values') return readOpenValue(reader, attribute, target);
  const { name, nameRange, expression } = attribute;
  const { range } = expression;
  const text = readParameter(reader, attribute);
  if (text === undefined) target.misread.add(name);
  else if (text !== null) target.parameters.push({ name, nameRange, text, range });
}

function readOpenAxis(reader: BlockReader, attribute: Attribute, target: Target): void {
  const { name, nameRange, expression } = attribute;
  const items = readAxis(reader, attribute);
  if (items === undefined) target.misread.add(name);
  else if (items !== null) target.axes.push({ name, nameRange, range: expression.range, items });
}

function readOpenValue(reader: BlockReader, attribute: Attribute, target: Target): void {
  const { name, nameRange, expression } = attribute;
  const value = readAnyParameter(reader, attribute);
  if (value === undefined || value?.problem) target.misread.add(name);
  if (value) target.parameters.push({ name, nameRange, range: expression.range, ...value });
}

function readNested(
  reader: BlockReader,
  block: Block,
  { schema, owner, seen, misread, blocks }: Target,
): void {
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

/** A misspelt block, or one that belongs elsewhere: its absence is not reported. */
function meansKnown(type: string, { blocks, misplaced = {} }: BlockSchema): boolean {
  return Object.hasOwn(misplaced, type) || closestName(type, Object.keys(blocks)) !== undefined;
}

function find<Entry>(record: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
