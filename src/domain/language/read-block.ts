import type { AttributeSchema, BlockSchema, NestedSchema, Variant } from './block-schema.ts';
import { pipelineSchema } from './block-schema.ts';
import { diagnose } from './diagnostic.ts';
import { dependsOnUnknown } from './evaluate-expression.ts';
import type { Reader } from './evaluate-expression.ts';
import { readAttribute, readParameter } from './read-attribute.ts';
import type { AttributeValue, Text } from './read-attribute.ts';
import { didYouMean } from './suggest.ts';
import type { Attribute, Block, Body, Label, Range } from './syntax.ts';

/** A block as its schema says: only known things, with their values. What was wrong has been reported. */
export interface ReadBlock {
  type: string;
  /** As many as the schema has. */
  labels: Label[];
  /** The block's header. */
  range: Range;
  attributes: ReadonlyMap<string, ReadAttribute>;
  /** Attributes of an open block that its schema does not name, in order. */
  parameters: Parameter[];
  /** In order. */
  blocks: ReadBlock[];
  /** Names of blocks and parameters that are there, but could not be read or are not known yet: they only seem to be missing. */
  misread: ReadonlySet<string>;
}

interface ReadAttribute {
  /** Of its value. */
  range: Range;
  /** Absent: wrong, and reported. */
  value?: AttributeValue;
}

export interface Parameter extends Text {
  name: string;
  nameRange: Range;
}

function readBlock(reader: Reader, block: Block, schema: BlockSchema): ReadBlock | undefined {
  const variant = chooseVariant(reader, block, schema);
  if (schema.variants && !variant) {
    checkLabels(reader, block, schema);
    return undefined;
  }
  const content = readBody(reader, block.body, variant ? { ...schema, ...variant } : schema, {
    name: block.type,
    range: block.range,
  });
  const { uncertain, ...known } = content;
  if (!checkLabels(reader, block, schema) || uncertain) return undefined;
  return { type: block.type, labels: block.labels, range: block.range, ...known };
}

type Content = Pick<ReadBlock, 'attributes' | 'parameters' | 'blocks' | 'misread'> & {
  /** An attribute depends on a value that nobody knows yet: it may be anything, and may as well be missing. */
  uncertain: boolean;
};
type Owner = { name: string; range: Range };

/** Reads what is inside. */
export function readBody(reader: Reader, body: Body, schema: BlockSchema, owner: Owner): Content {
  const target: Target = {
    schema,
    owner: owner.name,
    attributes: new Map(),
    parameters: [],
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
  return target;
}

interface Target {
  schema: BlockSchema;
  owner: string;
  attributes: Map<string, ReadAttribute>;
  parameters: Parameter[];
  blocks: ReadBlock[];
  misread: Set<string>;
  seen: Set<string>;
  uncertain: boolean;
}

function readOne(reader: Reader, attribute: Attribute, target: Target): void {
  const { name, nameRange, expression } = attribute;
  const known = find(target.schema.attributes, name);
  const block = find(target.schema.blocks, name);
  if (known?.type === 'later') reportLater(reader, nameRange, `the attribute ${name} in ${target.owner}`);
  else if (known) readKnown(reader, attribute, known, target);
  else if (target.schema.open === true && !(block && expression.entries)) {
    const text = readParameter(reader, attribute);
    if (text === undefined) target.misread.add(name);
    else if (text !== null) target.parameters.push({ name, nameRange, text, range: expression.range });
  } else if (block) {
    target.misread.add(name);
    const message = `${name} is a block in ${target.owner}, not an attribute`;
    const help = `Write ${name} { … } without the equals sign.`;
    reader.report(diagnose('block-expected', nameRange, message, help));
  } else reportUnknownAttribute(reader, attribute, target);
}

function readKnown(reader: Reader, attribute: Attribute, schema: AttributeSchema, target: Target): void {
  const { name, expression } = attribute;
  const value = readAttribute(reader, attribute, schema);
  target.uncertain ||= dependsOnUnknown(reader, expression);
  if (value !== null) target.attributes.set(name, { range: expression.range, ...(value && { value }) });
  else if (schema.required === true) reportMissingAttribute(reader, name, expression.range, target.owner);
}

function readNested(reader: Reader, block: Block, { schema, owner, seen, misread, blocks }: Target): void {
  const known: NestedSchema | undefined = find(schema.blocks, block.type);
  if (known === 'later') {
    return reportLater(
      reader,
      block.typeRange,
      `the block ${block.type}${owner === '' ? '' : ` in ${owner}`}`,
    );
  }
  if (!known) return reportUnknownBlock(reader, block, schema, owner);
  const read = readBlock(reader, block, known.schema);
  if (known.once === true && seen.has(block.type)) {
    const message = `${owner} may have ${block.type} only once`;
    return reader.report(diagnose('duplicate-block', block.range, message));
  }
  if (read) blocks.push(read);
  else misread.add(block.type);
  return undefined;
}

function chooseVariant(reader: Reader, block: Block, { variants }: BlockSchema): Variant | undefined {
  const [label] = block.labels;
  if (!variants || !label) return undefined;
  const variant = find(variants, label.text);
  if (!variant) {
    const message = `there is no runner "${label.text}"${didYouMean(label.text, Object.keys(variants))}`;
    const help = `Use ${Object.keys(variants).join(', ')}; runner types of your own come in a later version.`;
    reader.report(diagnose('unknown-runner', label.range, message, help));
  }
  return variant;
}

function checkLabels(reader: Reader, block: Block, schema: BlockSchema): boolean {
  if (block.labels.length === schema.labels.length) return true;
  const example = [block.type, ...schema.labels.map((label) => `"<${label}>"`)].join(' ');
  const wanted = schema.labels.length === 0 ? 'no label' : schema.labels.join(' and ');
  const range = block.labels[schema.labels.length]?.range ?? block.range;
  const message = `${block.type} takes ${wanted}, but there ${block.labels.length === 1 ? 'is 1 label' : `are ${block.labels.length} labels`}`;
  reader.report(diagnose('wrong-labels', range, message, `Write ${example} { … }.`));
  return false;
}

function reportUnknownAttribute({ report }: Reader, { name, nameRange }: Attribute, target: Target): void {
  const known = Object.keys(target.schema.attributes);
  const where = target.owner === '' ? 'at the top of a pipeline' : `in ${target.owner}`;
  const suggestion = didYouMean(name, [...known, ...Object.keys(target.schema.blocks)]);
  const message = `there is no attribute "${name}" ${where}${suggestion}`;
  report(diagnose('unknown-attribute', nameRange, message, listNames('Attributes here', known)));
}

function reportUnknownBlock({ report }: Reader, block: Block, schema: BlockSchema, owner: string): void {
  if (find(schema.attributes, block.type)) {
    const message = `${block.type} is an attribute of ${owner}, not a block`;
    return report(diagnose('attribute-expected', block.typeRange, message, `Write ${block.type} = ….`));
  }
  const known = Object.keys(schema.blocks);
  const where = owner === '' ? 'in a pipeline' : `in ${owner}`;
  const suggestion =
    didYouMean(block.type, [...known, ...Object.keys(schema.attributes)]) || sayWhere(block.type);
  const message = `there is no block "${block.type}" ${where}${suggestion}`;
  return report(diagnose('unknown-block', block.typeRange, message, listNames('Blocks here', known)));
}

/** Which block it may stand in, when it exists elsewhere. */
function sayWhere(name: string): string {
  const owners = new Set<string>();
  const look = (owner: string, schema: BlockSchema): void => {
    if (find(schema.blocks, name) !== undefined) owners.add(owner);
    for (const [inner, nested] of entries<NestedSchema>(schema.blocks)) {
      if (nested !== 'later') look(inner, nested.schema);
    }
  };
  look('the pipeline itself', pipelineSchema);
  return owners.size === 0 ? '' : `; it belongs in ${[...owners].join(' or ')}`;
}

const listNames = (what: string, names: string[]): string | undefined =>
  names.length === 0 ? undefined : `${what}: ${names.join(', ')}.`;

function reportLater({ report }: Reader, range: Range, what: string): void {
  report(diagnose('later-feature', range, `${what} is known, but this version does not have it yet`));
}

function reportMissing(
  reader: Reader,
  schema: BlockSchema,
  owner: Owner,
  written: ReadonlySet<string>,
): void {
  for (const [name, attribute] of entries<AttributeSchema>(schema.attributes)) {
    if (attribute.required === true && !written.has(name))
      reportMissingAttribute(reader, name, owner.range, owner.name);
  }
  for (const [name, nested] of entries<NestedSchema>(schema.blocks)) {
    if (nested === 'later' || nested.required !== true || written.has(name)) continue;
    reader.report(diagnose('missing-block', owner.range, `${owner.name} needs a block ${name}`));
  }
}

function reportMissingAttribute({ report }: Reader, name: string, range: Range, owner: string): void {
  report(diagnose('missing-attribute', range, `${owner} needs ${name}`));
}

const entries = <Entry>(record: Readonly<Record<string, Entry>>): [string, Entry][] => Object.entries(record);

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

export function textsAt({ attributes }: ReadBlock, name: string): Text[] {
  const value = attributes.get(name)?.value;
  return value?.kind === 'strings' ? value.items : [];
}

export const blocksOf = ({ blocks }: ReadBlock, type: string): ReadBlock[] =>
  blocks.filter((block) => block.type === type);

/** The label at a place that the schema says exists. */
export function labelAt({ labels, range }: ReadBlock, index: number): Label {
  return labels[index] ?? { text: '', range };
}
