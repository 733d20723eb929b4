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
 * A block after validation against its schema. It has only the parts that the schema allows, with their
 * values. Errors were reported.
 */
export interface ReadBlock {
  type: string;
  /** As many labels as the schema has. None, if the block omits labels that are optional. */
  labels: Label[];
  /** Range of the header: the type and the labels. */
  range: Range;
  attributes: ReadonlyMap<string, ReadAttribute>;
  /** The attributes of an open block that its schema does not name, in the order of the text. */
  parameters: Parameter[];
  /** The attributes of a `matrix` block, in the order of the text. */
  axes: Axis[];
  /** Nested blocks, in the order of the text. */
  blocks: ReadBlock[];
  /**
   * Names of blocks and parameters that the text has, but whose value could not be read or is unknown. They
   * must not be reported as missing.
   */
  misread: ReadonlySet<string>;
  /** The instance that the block was read for, if the block is a group of resources. */
  instance?: InstanceName;
}

/** An attribute after validation. */
interface ReadAttribute {
  nameRange: Range;
  /** Range of the value. */
  range: Range;
  /** Absent: an error was reported, or the value is unknown. */
  value?: AttributeValue;
}

/** A parameter in an open block. `text` is its value as a string. */
export interface Parameter extends LocatedString {
  name: string;
  nameRange: Range;
  /** Present if the block accepts values of any type. */
  json?: AsJson;
  /**
   * Why the value is not a text; `text` is empty then. Code that needs a text must report this diagnostic.
   */
  problem?: Diagnostic;
}

/** One axis of a matrix: a name, and its values. */
export interface Axis {
  name: string;
  nameRange: Range;
  range: Range;
  items: Value[];
}

/**
 * Reads a block, and reports its errors. Undefined: the block is unusable, because of an error or because an
 * attribute depends on an unknown value.
 */
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

/**
 * The schema that applies to the block, by its labels and attributes. Undefined: the label that names the
 * runner is missing, or it names an unknown runner, which was reported.
 */
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

/**
 * Adds the runners to the schema of a block without labels, so that messages can name the runner to write.
 */
const withVariants = (unlabelled: BlockSchema, { variants }: BlockSchema): BlockSchema => ({
  ...unlabelled,
  ...(variants && { variants }),
});

const hasAttribute = ({ body }: Block, name: string): boolean =>
  body.items.some((item) => item.kind === 'attribute' && item.name === name);

function findVariant({ runners }: BlockReader, name: string, schema: BlockSchema): Variant | undefined {
  const builtIn = entryOf(schema.variants ?? {}, name);
  if (!runners.has(name) || !schema.customVariant) return builtIn;
  // A declared runner that replaces a built-in one takes the same attributes, and parameters of any other
  // name.
  return builtIn ? { attributes: builtIn.attributes, open: 'text' } : schema.customVariant;
}

type Content = Pick<ReadBlock, 'attributes' | 'parameters' | 'axes' | 'blocks' | 'misread'> & {
  /** An attribute depends on an unknown value, so it may also be null. */
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

/** What has been read of a body so far. */
interface BodySoFar {
  schema: BlockSchema;
  owner: string;
  attributes: Map<string, ReadAttribute>;
  parameters: Parameter[];
  axes: Axis[];
  blocks: ReadBlock[];
  misread: Set<string>;
  /** Names of the attributes and types of the blocks that the body has. */
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
 * Reports an unknown attribute. The attribute or block that was probably meant counts as present, so that it
 * is not reported as missing too.
 */
function readUnknownAttribute(reader: BlockReader, attribute: Attribute, soFar: BodySoFar): void {
  const { name, nameRange, expression } = attribute;
  if (!reader.partial || isMeantHere(name, true, soFar.schema))
    reader.report(explainUnknownAttribute(attribute, soFar.schema, soFar.owner));
  // The attribute may belong in a command or in `params`. That block or parameter is then not missing.
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

/**
 * Whether the type is a misspelt block, or a block that belongs elsewhere. Such a block counts as present, so
 * it is not reported as missing.
 */
function isMisspeltOrMisplaced(type: string, { blocks, misplaced = {} }: BlockSchema): boolean {
  return Object.hasOwn(misplaced, type) || closestName(type, Object.keys(blocks)) !== undefined;
}

function entryOf<Entry>(record: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
