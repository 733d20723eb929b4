import { diagnose } from '#domain/language/diagnostic.ts';
import type { Reader } from '#domain/language/evaluate-expression.ts';
import { job as jobSchema } from '#domain/language/schema-job.ts';
import { describeValue, textOf } from '#domain/language/read-attribute.ts';
import { blocksOf, readBody, valueAt } from '#domain/language/read-block.ts';
import type { Axis, ReadBlock } from '#domain/language/read-block.ts';
import type { Block, Item, Label, Range, Value } from '#domain/language/syntax.ts';
import { LIMITS } from './limits.ts';

/** One job of a group: `each.key` and `each.value`. */
export interface Instance {
  key: string;
  value: Value;
}

/** `single`: the job is no group. `broken`: what it would consist of is wrong, and reported, or not known. */
export type Instances = 'single' | 'broken' | Instance[];

const { for_each } = jobSchema.attributes;
const { matrix } = jobSchema.blocks;
const groupSchema = {
  labels: ['name'],
  attributes: { ...(for_each && { for_each }) },
  blocks: { ...(matrix && { matrix }) },
};

const makesGroup = (item: Item): boolean =>
  item.kind === 'attribute' ? item.name === 'for_each' : item.type === 'matrix';

/** The block without what makes it a group. */
export function withoutGroup(block: Block): Block {
  return { ...block, body: { ...block.body, items: block.body.items.filter((item) => !makesGroup(item)) } };
}

/** What a job's `for_each` or `matrix` makes of it. */
export function readInstances(reader: Reader, block: Block): Instances {
  const items = block.body.items.filter(makesGroup);
  if (items.length === 0) return 'single';
  const owner = { name: 'job', range: block.range };
  const { uncertain, ...content } = readBody(reader, { ...block.body, items }, groupSchema, owner);
  return uncertain
    ? 'broken'
    : instancesIn(reader, block, { type: 'job', labels: block.labels, range: block.range, ...content });
}

function instancesIn(reader: Reader, block: Block, read: ReadBlock): Instances {
  const [axes] = blocksOf(read, 'matrix');
  const forEach = read.attributes.get('for_each');
  if (axes && forEach) {
    const message = 'for_each and matrix exclude each other';
    reader.report(diagnose('for-each-with-matrix', axes.range, message));
    return 'broken';
  }
  // `for_each = null` is as if it were not there.
  if (!axes && !forEach && !read.misread.has('matrix')) return 'single';
  const found = axes ? readMatrix(reader, axes) : readForEach(reader, read);
  return (found && named(reader, block, found)) ?? 'broken';
}

function readForEach(reader: Reader, read: ReadBlock): Instance[] | undefined {
  const value = valueAt(read, 'for_each');
  const range = read.attributes.get('for_each')?.range;
  return value && range && instancesOf(reader, value, range);
}

function instancesOf(reader: Reader, value: Value, range: Range): Instance[] | undefined {
  if (value.kind === 'map' || value.kind === 'object') {
    if (!checkCount(reader, value.entries.length, range)) return undefined;
    return value.entries.map(([key, element]) => ({ key, value: element }));
  }
  if (value.kind !== 'set') {
    const help = 'items' in value ? 'Write toset([…]) around the list.' : 'Write toset([…]) or a map { … }.';
    const message = `for_each must be a set of strings or a map, not ${describeValue(value)}`;
    reader.report(diagnose('for-each-type', range, message, help));
    return undefined;
  }
  if (!checkCount(reader, value.items.length, range)) return undefined;
  const instances = value.items.flatMap((item) =>
    item.kind === 'string' ? [{ key: item.text, value: item }] : [],
  );
  if (instances.length === value.items.length) return instances;
  const message = 'each element of the set must be a string';
  reader.report(diagnose('for-each-type', range, message, 'Convert them, or use a map.'));
  return undefined;
}

/** Axes in the order of their names; HCL's attributes have none. */
function readMatrix(reader: Reader, block: ReadBlock): Instance[] | undefined {
  if (block.misread.size > 0) return undefined;
  const axes = block.axes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const count = axes.reduce((product, { items }) => product * items.length, axes.length === 0 ? 0 : 1);
  if (!checkCount(reader, count, block.range)) return undefined;
  if (count === 0) return [];
  const combinations = axes.reduce<[Axis, Value][][]>(
    (all, axis) =>
      all.flatMap((chosen) => axis.items.map((item): [Axis, Value][] => [...chosen, [axis, item]])),
    [[]],
  );
  const instances = combinations.map((chosen): Instance => ({
    key: chosen.map(([, item]) => slug(textOf(item) ?? '')).join('-'),
    value: { kind: 'object', entries: chosen.map(([{ name }, item]) => [name, item]) },
  }));
  return instances.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
}

function checkCount({ report }: Reader, count: number, range: Range): boolean {
  if (count <= LIMITS.instances) return true;
  const message = `this makes ${count} jobs; at most ${LIMITS.instances} are allowed`;
  report(diagnose('too-many-instances', range, message));
  return false;
}

/** Lower case, and a hyphen for every run of other characters than letters and digits. */
function slug(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

export const instanceName = (group: string, key: string): string => `${group}--${slug(key)}`;

/** The same instances when each has a name of its own. */
function named({ report }: Reader, { labels, range }: Block, instances: Instance[]): Instance[] | undefined {
  const label: Label = labels[0] ?? { text: '', range };
  const taken = new Map<string, string>();
  let sound = true;
  for (const { key } of instances) {
    const name = instanceName(label.text, key);
    const before = taken.get(name);
    taken.set(name, key);
    if (slug(key) !== '' && before === undefined && name.length <= 63) continue;
    sound = false;
    report(explainBadKey(label, { key, name, ...(before !== undefined && { before }) }));
  }
  if (instances.length === 0)
    report(diagnose('for-each-empty', label.range, `the group "${label.text}" has no jobs`));
  return sound ? instances : undefined;
}

function explainBadKey(
  { range }: Label,
  { key, name, before }: { key: string; name: string; before?: string },
): ReturnType<typeof diagnose> {
  const quoted = JSON.stringify(key);
  if (slug(key) === '') {
    const help = 'Use keys with letters or digits.';
    return diagnose('invalid-name', range, `the key ${quoted} makes no name for a job`, help);
  }
  if (before !== undefined) {
    const keys = `${JSON.stringify(before)} and ${quoted}`;
    return diagnose('duplicate-name', range, `the keys ${keys} both make the job "${name}"`);
  }
  const message = `the key ${quoted} makes the name "${name}", which has ${name.length} characters`;
  return diagnose(
    'invalid-name',
    range,
    message,
    'Names of jobs have at most 63: shorten the key or the job.',
  );
}
