import { defined } from '#defined';
import type { BlockSchema } from '#domain/language/block-schema.ts';
import { blocksOf, valueAt } from '#domain/language/block-values.ts';
import { diagnose } from '#domain/language/diagnostic.ts';
import type { BlockReader } from '#domain/language/evaluate-expression.ts';
import { describeValue, textOf } from '#domain/language/help-for-type.ts';
import type { InstanceName } from '#domain/language/in-instances.ts';
import { readBody, type Axis, type ReadBlock } from '#domain/language/read-block.ts';
import { job as jobSchema } from '#domain/language/schema-job.ts';
import type { Block, Item, Label, Range, Value } from '#domain/language/syntax.ts';
import { LIMITS } from './limits.ts';

/** An instance of a group: `each.key` and `each.value`. */
export interface Instance {
  key: string;
  value: Value;
}

/**
 * `single`: the block is not a group. `broken`: the elements of the group are unknown, or have an error that
 * was reported.
 */
export type Instances = 'single' | 'broken' | Instance[];

/** A kind of block that can be a group. */
export interface GroupKind {
  noun: 'job' | 'resource';
  /** Index of the label that names the group. */
  label: number;
  /** Schema of only the parts that make a block a group. */
  schema: BlockSchema;
}

const { for_each } = jobSchema.attributes;
const { matrix } = jobSchema.blocks;
const groupSchema = { labels: ['name'], attributes: defined({ for_each }), blocks: {} };

export const JOB_GROUP: GroupKind = {
  noun: 'job',
  label: 0,
  schema: { ...groupSchema, blocks: defined({ matrix }) },
};
export const RESOURCE_GROUP: GroupKind = { noun: 'resource', label: 1, schema: groupSchema };

const makesGroup = (item: Item, { schema }: GroupKind): boolean =>
  item.kind === 'attribute' ? item.name === 'for_each' : Object.hasOwn(schema.blocks, item.type);

export const isGroup = ({ body }: Block, kind: GroupKind): boolean =>
  body.items.some((item) => makesGroup(item, kind));

/** The block without the parts that make it a group. */
export function withoutGroup(block: Block, kind: GroupKind): Block {
  const items = block.body.items.filter((item) => !makesGroup(item, kind));
  return { ...block, body: { ...block.body, items } };
}

/** The instance as messages name it. */
export const describeInstance = (group: string, { key }: Instance, groupSize: number): InstanceName => ({
  name: instanceName(group, key),
  key,
  groupSize,
});

/**
 * Adds `each` to the scope. `unknown`: `each` has no value, because its group is empty or has an error, which
 * was reported, or because the elements of the group are unknown. Undefined: the block is not in a group, so
 * it has no `each`.
 */
export function withEach(reader: BlockReader, instance: Instance | 'unknown' | undefined): BlockReader {
  if (instance === undefined) return reader;
  if (instance === 'unknown') return { ...reader, eachBroken: true };
  const { key, value } = instance;
  const entries: [string, Value][] = [
    ['key', { kind: 'string', text: key }],
    ['value', value],
  ];
  return { ...reader, scope: new Map([...reader.scope, ['each', { kind: 'object', entries }]]) };
}

/** Expands `for_each` or `matrix` into instances. */
export function readInstances(reader: BlockReader, block: Block, kind: GroupKind): Instances {
  const items = block.body.items.filter((item) => makesGroup(item, kind));
  if (items.length === 0) return 'single';
  const owner = { name: kind.noun, range: block.range };
  const { uncertain, ...content } = readBody(reader, { ...block.body, items }, kind.schema, owner);
  if (uncertain) return 'broken';
  const read = { type: kind.noun, labels: block.labels, range: block.range, ...content };
  return instancesIn({ reader, kind, label: groupLabel(block, kind) }, read);
}

export const groupLabel = ({ labels, range }: Block, kind: GroupKind): Label =>
  labels[kind.label] ?? { text: '', range };

interface Group {
  reader: BlockReader;
  kind: GroupKind;
  label: Label;
}

function instancesIn(group: Group, read: ReadBlock): Instances {
  const { reader } = group;
  const [axes] = blocksOf(read, 'matrix');
  const forEach = read.attributes.get('for_each');
  if (axes && forEach) {
    const message = 'for_each and matrix cannot be used together';
    reader.report(diagnose('for-each-with-matrix', axes.range, message));
    return 'broken';
  }
  // `for_each = null` is the same as no `for_each`.
  if (!axes && !forEach && !read.misread.has('matrix')) return 'single';
  const instances = axes ? readMatrix(group, axes) : readForEach(group, read);
  return (instances && checkNames(group, instances)) ?? 'broken';
}

function readForEach(group: Group, read: ReadBlock): Instance[] | undefined {
  const value = valueAt(read, 'for_each');
  const range = read.attributes.get('for_each')?.range;
  return value && range && instancesOf(group, value, range);
}

function instancesOf(group: Group, value: Value, range: Range): Instance[] | undefined {
  const { reader } = group;
  if (value.kind === 'map' || value.kind === 'object') {
    if (!checkCount(group, value.entries.length, range)) return undefined;
    return value.entries.map(([key, element]) => ({ key, value: element }));
  }
  if (value.kind !== 'set') {
    const help = 'items' in value ? 'Write toset([…]) around the list.' : 'Write toset([…]) or a map { … }.';
    const message = `for_each must be a set of strings or a map, not ${describeValue(value)}`;
    reader.report(diagnose('for-each-type', range, message, help));
    return undefined;
  }
  if (!checkCount(group, value.items.length, range)) return undefined;
  const instances = value.items.flatMap((item) =>
    item.kind === 'string' ? [{ key: item.text, value: item }] : [],
  );
  if (instances.length === value.items.length) return instances;
  const message = 'each element of the set must be a string';
  reader.report(diagnose('for-each-type', range, message, 'Convert them, or use a map.'));
  return undefined;
}

/** Axes are sorted by name, because HCL attributes have no order. */
function readMatrix(group: Group, block: ReadBlock): Instance[] | undefined {
  if (block.misread.size > 0) return undefined;
  const axes = block.axes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (!checkAxes(group, axes)) return undefined;
  const count = axes.length === 0 ? 0 : axes.reduce((product, { items }) => product * items.length, 1);
  if (!checkCount(group, count, block.range)) return undefined;
  if (count === 0) return [];
  const instances = combinationsOf(axes).map((chosen): Instance => ({
    key: chosen.map(([, item]) => slug(textOf(item) ?? '')).join('-'),
    value: { kind: 'object', entries: chosen.map(([{ name }, item]) => [name, item]) },
  }));
  return instances.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
}

/** Every combination of one value from each axis. */
function combinationsOf(axes: readonly Axis[]): [Axis, Value][][] {
  let combinations: [Axis, Value][][] = [[]];
  for (const axis of axes)
    combinations = combinations.flatMap((chosen) =>
      axis.items.map((item): [Axis, Value][] => [...chosen, [axis, item]]),
    );
  return combinations;
}

/** Whether no axis has a value twice. Reports it if not. */
function checkAxes({ reader }: Group, axes: readonly Axis[]): boolean {
  const repeated = axes.flatMap(({ name, range, items }) => {
    const texts = items.map((item) => textOf(item) ?? '');
    const text = texts.find((candidate, index) => texts.indexOf(candidate) < index);
    return text === undefined ? [] : [{ message: `${name} has ${JSON.stringify(text)} twice`, range }];
  });
  for (const { message, range } of repeated)
    reader.report(diagnose('duplicate-name', range, message, 'Remove one of them.'));
  return repeated.length === 0;
}

function checkCount({ reader, kind }: Group, count: number, range: Range): boolean {
  if (count <= LIMITS.instances) return true;
  const message = `this makes ${count} ${kind.noun}s; at most ${LIMITS.instances} are allowed`;
  reader.report(diagnose('too-many-instances', range, message));
  return false;
}

/**
 * Lower case, with a hyphen for each run of characters other than ASCII letters and digits, and no hyphen at
 * the ends.
 */
function slug(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

export const instanceName = (group: string, key: string): string => `${group}--${slug(key)}`;

/**
 * The canonical name of a job or resource. An instance can also be named by its group and its key as written.
 */
export function canonicalName(name: string, isKnown: (name: string) => boolean): string {
  const at = name.indexOf('--');
  if (isKnown(name) || at < 0) return name;
  const canonical = instanceName(name.slice(0, at), name.slice(at + 2));
  return isKnown(canonical) ? canonical : name;
}

/** Returns the instances if their names are valid and unique. Otherwise reports the errors. */
function checkNames(group: Group, instances: Instance[]): Instance[] | undefined {
  const { label, kind, reader } = group;
  const taken = new Map<string, string>();
  let areValid = true;
  for (const { key } of instances) {
    const name = instanceName(label.text, key);
    const otherKey = taken.get(name);
    taken.set(name, key);
    if (slug(key) !== '' && otherKey === undefined && name.length <= 63) continue;
    areValid = false;
    reader.report(explainBadKey(group, { key, name, ...defined({ otherKey }) }));
  }
  if (instances.length === 0)
    reader.report(diagnose('for-each-empty', label.range, `the group "${label.text}" has no ${kind.noun}s`));
  return areValid ? instances : undefined;
}

function explainBadKey(
  { label: { range }, kind: { noun } }: Group,
  { key, name, otherKey }: { key: string; name: string; otherKey?: string },
): ReturnType<typeof diagnose> {
  const quoted = JSON.stringify(key);
  if (slug(key) === '') {
    const help = 'Use keys with letters or digits.';
    return diagnose('invalid-name', range, `the key ${quoted} makes no name for a ${noun}`, help);
  }
  if (otherKey !== undefined) {
    if (otherKey === key) {
      const message = `two elements both make the ${noun} "${name}"`;
      return diagnose('duplicate-name', range, message, 'Rename a value of one of them.');
    }
    const keys = `${JSON.stringify(otherKey)} and ${quoted}`;
    return diagnose('duplicate-name', range, `the keys ${keys} both make the ${noun} "${name}"`);
  }
  const message = `the key ${quoted} makes the name "${name}", which has ${name.length} characters`;
  const help = `Names of ${noun}s have at most 63: shorten the key or the ${noun}.`;
  return diagnose('invalid-name', range, message, help);
}
