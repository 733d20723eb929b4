import type { AttributeSchema, BlockSchema, NestedSchema, Variant } from './block-schema.ts';
import { checkLabels, reportMissing, reportMissingAttribute, type Owner } from './check-block.ts';
import { diagnose, type Diagnostic } from './diagnostic.ts';
import { dependsOnUnknown, type BlockReader } from './evaluate-expression.ts';
import {
  commandWithAttribute,
  explainUnknownAttribute,
  explainUnknownBlock,
  explainUnknownRunner,
  isMeantHere,
  whereIs,
} from './explain-unknown.ts';
import type { InstanceName } from './in-instances.ts';
import type { AsJson } from './json-value.ts';
import { readAttribute, type AttributeValue, type LocatedString } from './read-attribute.ts';
import { isMeantAsParameter, readAnyParameter, readAxis, readParameter } from './read-parameter.ts';
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
  /** The instance of a group of resources. */
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
  /** Why the value is not a text; `text` is then empty. Code that needs a text reports this diagnostic. */
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
  const chosenSchema = chooseSchema(reader, block, schema);
  if (!chosenSchema) {
    checkLabels(reader, block, schema);
    return undefined;
  }
  const content = readBody(reader, block.body, chosenSchema, { name: block.type, range: block.range });
  const { uncertain, ...known } = content;
  if (!checkLabels(reader, block, chosenSchema) || uncertain) return undefined;
  return { type: block.type, labels: block.labels, range: block.range, ...known };
}

/** The schema that the labels and attributes of the block choose. */
function chooseSchema(reader: BlockReader, block: Block, schema: BlockSchema): BlockSchema | undefined {
  if (schema.unlabelled && block.labels.length === 0) return withVariants(schema.unlabelled, schema);
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

/** Messages about a block without a label name the runners that it may have. */
const withVariants = (unlabelled: BlockSchema, { variants }: BlockSchema): BlockSchema => ({
  ...unlabelled,
  ...(variants && { variants }),
});

const hasAttribute = ({ body }: Block, name: string): boolean =>
  body.items.some((item) => item.kind === 'attribute' && item.name === name);

function findVariant({ runners }: BlockReader, name: string, schema: BlockSchema): Variant | undefined {
  const builtIn = entryOf(schema.variants ?? {}, name);
  if (!runners.has(name) || !schema.customVariant) return builtIn;
  // A runner that overrides a built-in one takes the same attributes.
  return builtIn ? { attributes: builtIn.attributes, open: 'text' } : schema.customVariant;
}

type Content = Pick<ReadBlock, 'attributes' | 'parameters' | 'axes' | 'blocks' | 'misread'> & {
  /** An attribute depends on an unknown value, which could also be null. */
  uncertain: boolean;
};

/** Reads the attributes and nested blocks of a body. */
export function readBody(reader: BlockReader, body: Body, schema: BlockSchema, owner: Owner): Content {
  const soFar: BodySoFar = {
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
    if (item.kind === 'block') readNestedBlock(reader, item, soFar);
    else readBodyAttribute(reader, item, soFar);
    soFar.seen.add(item.kind === 'block' ? item.type : item.name);
  }
  if (!reader.partial) reportMissing(reader, schema, owner, soFar.seen);
  const { attributes, parameters, axes, blocks, misread, uncertain } = soFar;
  return { attributes, parameters, axes, blocks, misread, uncertain };
}

/** What has been read of a body until now. */
interface BodySoFar {
  schema: BlockSchema;
  owner: string;
  attributes: Map<string, ReadAttribute>;
  parameters: Parameter[];
  axes: Axis[];
  blocks: ReadBlock[];
  misread: Set<string>;
  /** Names of attributes and types of blocks that the body has. */
  seen: Set<string>;
  uncertain: boolean;
}

function readBodyAttribute(reader: BlockReader, attribute: Attribute, soFar: BodySoFar): void {
  const { schema, owner } = soFar;
  const { name, nameRange, expression } = attribute;
  const known = entryOf(schema.attributes, name);
  const block = entryOf(schema.blocks, name);
  if (known && !isMeantAsParameter(reader, expression, known, schema))
    readKnownAttribute(reader, attribute, known, soFar);
  else if (schema.open && !(block && expression.entries)) readOpenAttribute(reader, attribute, soFar);
  else if (block) {
    soFar.misread.add(name);
    const message = `${name} is a block ${whereIs(owner)}, not an attribute`;
    const labels = block.schema.labels.map((label) => ` "<${label}>"`).join('');
    const help = `Write ${name}${labels} { … } without the equals sign.`;
    reader.report(diagnose('block-expected', nameRange, message, help));
  } else readUnknownAttribute(reader, attribute, soFar);
}

/**
 * Reports the attribute. The attribute or block that was probably meant counts as present, so that it is not
 * reported as missing too.
 */
function readUnknownAttribute(reader: BlockReader, attribute: Attribute, soFar: BodySoFar): void {
  const { name, nameRange, expression } = attribute;
  if (!reader.partial || isMeantHere(name, true, soFar.schema))
    reader.report(explainUnknownAttribute(attribute, soFar.schema, soFar.owner));
  // A block that is written as an attribute, or in a wrong place, is not missing.
  const [block] = commandWithAttribute(name, soFar.schema) ?? [];
  if (block !== undefined) soFar.seen.add(block);
  if (block !== undefined) soFar.misread.add(block);
  else if (Object.hasOwn(soFar.schema.blocks, 'params')) soFar.misread.add(name);
  const meant = closestName(name, Object.keys(soFar.schema.attributes));
  if (meant === undefined || soFar.seen.has(meant)) return;
  soFar.seen.add(meant);
  soFar.attributes.set(meant, { nameRange, range: expression.range });
}

function readKnownAttribute(
  reader: BlockReader,
  attribute: Attribute,
  schema: AttributeSchema,
  soFar: BodySoFar,
): void {
  const { name, nameRange, expression } = attribute;
  const { range } = expression;
  const value = readAttribute(reader, attribute, schema);
  soFar.uncertain ||= dependsOnUnknown(reader, expression);
  if (value !== null) soFar.attributes.set(name, { nameRange, range, ...(value && { value }) });
  else if (schema.required === true) reportMissingAttribute(reader, name, range, soFar.owner);
}

function readOpenAttribute(reader: BlockReader, attribute: Attribute, soFar: BodySoFar): void {
  if (soFar.schema.open === 'lists') return readOpenAxis(reader, attribute, soFar);
  if (soFar.schema.open === 'values') return readOpenValue(reader, attribute, soFar);
  const { name, nameRange, expression } = attribute;
  const { range } = expression;
  const text = readParameter(reader, attribute);
  if (text === undefined) soFar.misread.add(name);
  else if (text !== null) soFar.parameters.push({ name, nameRange, text, range });
}

function readOpenAxis(reader: BlockReader, attribute: Attribute, soFar: BodySoFar): void {
  const { name, nameRange, expression } = attribute;
  const items = readAxis(reader, attribute);
  if (items === undefined) soFar.misread.add(name);
  else if (items !== null) soFar.axes.push({ name, nameRange, range: expression.range, items });
}

function readOpenValue(reader: BlockReader, attribute: Attribute, soFar: BodySoFar): void {
  const { name, nameRange, expression } = attribute;
  const value = readAnyParameter(reader, attribute);
  if (value === undefined || value?.problem) soFar.misread.add(name);
  if (value) soFar.parameters.push({ name, nameRange, range: expression.range, ...value });
}

function readNestedBlock(
  reader: BlockReader,
  block: Block,
  { schema, owner, seen, misread, blocks }: BodySoFar,
): void {
  const known: NestedSchema | undefined = entryOf(schema.blocks, block.type);
  if (!known) {
    if (!reader.partial || isMeantHere(block.type, false, schema))
      reader.report(explainUnknownBlock(block, schema, owner));
    if (isMisspeltOrMisplaced(block.type, schema)) misread.add(block.type);
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

/** Whether the type is a misspelt block, or one that belongs elsewhere. Its absence is not reported. */
function isMisspeltOrMisplaced(type: string, { blocks, misplaced = {} }: BlockSchema): boolean {
  return Object.hasOwn(misplaced, type) || closestName(type, Object.keys(blocks)) !== undefined;
}

function entryOf<Entry>(record: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
