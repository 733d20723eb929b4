import { diagnose, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Range } from '#domain/language/syntax.ts';
import { builtInSource } from './built-in-source.ts';
import type { CustomCommand, Pipeline, ResourceType } from './pipeline.ts';

/**
 * What the language has, but the operator cannot do yet: whoever builds a part strikes it from here. The
 * tables of the reference are marked from it. Blocks and attributes by the block that they stand in, `*` for
 * any.
 */
const parts: Readonly<Record<string, readonly string[]>> = {
  pipeline: ['secret_type', 'service_type'],
  '*': ['timeout', 'attempts', 'on_success', 'on_failure', 'on_cancel', 'ensure'],
  variable: ['secret'],
  resource_type: ['cache'],
  resource: ['cache'],
  notification: ['on', 'jobs', 'exclude'],
  job: ['input', 'notify', 'service', 'in_parallel', 'if', 'else_if', 'else'],
  approve: ['notify'],
  task: ['inputs', 'outputs'],
};

/** What is there of the parts that `*` names. */
const ready: Readonly<Record<string, readonly string[]>> = {
  approve: ['timeout'],
  ready_check: ['timeout'],
};

/** What is there, or what is missing, of parts that run in part: for the reference. */
const inPart: Readonly<Record<string, string>> = {
  'variable.secret': 'of types other than `kubernetes`',
  'runner_type.run.path': '`$WORKDIR` for a check',
  'runner_type.run.args': '`$env`, and `$WORKDIR` for a check',
};

/** Built-in resource types whose checks, gets or puts need what is not there yet. */
const types: ReadonlySet<string> = new Set(['svc://fs', 'svc://artifact']);

/**
 * Built-in types that say `cache = true` and do without one: nobody wrote it, and nothing comes out
 * differently.
 */
const worksWithoutCache: ReadonlySet<string> = new Set(['svc://git']);

/**
 * Whether the operator refuses an attribute or block where it stands: `true`, or which part of it. `pipeline`
 * is the top.
 */
export function notYet(path: readonly string[], name: string): string | boolean {
  const owner = path.at(-1) ?? 'pipeline';
  return inPart[[...path, name].join('.')] ?? isLater(owner, name);
}

/** The same for a built-in resource type: `svc://git`. */
export function notYetOfType(source: string): string | boolean {
  return worksWithoutCache.has(source) ? '`$CACHE_DIR`' : types.has(source);
}

/**
 * What of the text the operator would have to pass over: it must refuse the pipeline instead. One diagnostic
 * for each feature, at the first place where it stands.
 */
export function notYetRun(pipeline: Pipeline, blocks: readonly ReadBlock[]): Diagnostic[] {
  const uses = [
    ...blocks.filter((block) => !isReady(block, pipeline)).flatMap(placesIn),
    ...resourcesOf(pipeline, blocks),
    ...customCommands(pipeline, blocks),
  ];
  const byPlace = new Map(uses.map((use) => [`${use.feature} ${use.range.start.byte}`, use]));
  const features = Map.groupBy(
    [...byPlace.values()].toSorted((a, b) => a.range.start.byte - b.range.start.byte),
    ({ feature }) => feature,
  );
  return [...features].flatMap(([feature, places]) => tell(feature, places));
}

function tell(feature: string, [first, ...others]: readonly Use[]): Diagnostic[] {
  if (!first) return [];
  const times = others.length === 0 ? '' : ` (${others.length + 1} places)`;
  const message = `this version cannot run ${feature} yet${times}`;
  const more = others.length > 0 && { otherRanges: others.map(({ range }) => range) };
  return [{ ...diagnose('later-feature', first.range, message), ...more }];
}

/**
 * Secrets of the type kubernetes are in place already, given values need none, and a type that nobody uses
 * asks for nothing.
 */
function isReady({ type, labels }: ReadBlock, pipeline: Pipeline): boolean {
  const { secrets = [], secretTypes = [], serviceTypes = [] } = pipeline;
  const waiting = { variable: secrets, secret_type: secretTypes, service_type: serviceTypes };
  return (
    (type === 'variable' || type === 'secret_type' || type === 'service_type') &&
    !waiting[type].some(({ name }) => name === labels[0]?.text)
  );
}

interface Use {
  /** In a sentence. */
  feature: string;
  range: Range;
}

const isLater = (owner: string, name: string): boolean =>
  !(ready[owner] ?? []).includes(name) &&
  ((parts[owner] ?? []).includes(name) || (owner !== 'pipeline' && (parts['*'] ?? []).includes(name)));

function placesIn(block: ReadBlock): Use[] {
  const { type, range } = block;
  return isLater('pipeline', type) ? [{ feature: type, range }] : walk(block);
}

/** What is in a block; inside of what is refused nothing more is told. */
function walk(block: ReadBlock): Use[] {
  const owner = block.type;
  const attributes = [...block.attributes]
    .filter(([name]) => isLater(owner, name))
    .map(([name, { nameRange }]): Use => ({ feature: `${name} in ${owner}`, range: nameRange }));
  const inner = block.blocks.flatMap((child) =>
    isLater(owner, child.type) ? [{ feature: nameOf(child, owner), range: child.range }] : walk(child),
  );
  return [...attributes, ...inner];
}

/** Secrets of some types run, so the type is what matters. */
const nameOf = ({ type, labels: [label] }: ReadBlock, owner: string): string =>
  type === 'secret' ? `secrets of type ${label?.text ?? ''}` : `${type} in ${owner}`;

/**
 * Resources of types that cannot run, and those whose type keeps a cache that the text itself does not ask
 * for.
 */
function resourcesOf({ resources, resourceTypes }: Pipeline, blocks: readonly ReadBlock[]): Use[] {
  const declared = new Map(resources.map(({ name, type }) => [name, type]));
  const typeOf = new Map(resourceTypes.map((type) => [type.name, type]));
  return blocks.flatMap(({ type, labels, range }) => {
    const known = typeOf.get(declared.get(labels.map(({ text }) => text).join('.')) ?? '');
    const feature = type === 'resource' && known && wantingOf(known);
    return feature ? [{ feature, range }] : [];
  });
}

function wantingOf(type: ResourceType): string | undefined {
  const source = builtInSource(type) ?? '';
  if (types.has(source)) return `the resource type ${source.slice('svc://'.length)}`;
  if (!type.cache || worksWithoutCache.has(source)) return undefined;
  return type.origin ? `cache in the resource_type of ${type.origin.source}` : undefined;
}

/** Templates that only the agent could fill in. */
function customCommands(pipeline: Pipeline, blocks: readonly ReadBlock[]): Use[] {
  const checks = pipeline.resourceTypes.flatMap(({ check }) => commandsIn(check));
  const wanting = new Map([
    ...checks.filter(usesWorkdir).map(({ name }) => [name, '$WORKDIR for a check'] as const),
    ...commandsIn(pipeline)
      .filter(({ args }) => args.includes('$env'))
      .map(({ name }) => [name, '$env'] as const),
  ]);
  return blocks
    .filter(({ type, labels }) => type === 'runner_type' && wanting.has(labels[0]?.text ?? ''))
    .map(({ range, labels }) => ({
      feature: `${wanting.get(labels[0]?.text ?? '')} in a runner_type`,
      range,
    }));
}

const usesWorkdir = ({ path, args }: CustomCommand): boolean =>
  [path, ...args].some((template) => /\$(?:WORKDIR\b|\{WORKDIR\})/.test(template));

function commandsIn(value: unknown): CustomCommand[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (typeof value !== 'object' || value === null) return [];
  return isCustom(value) ? [value] : Object.values(value).flatMap(commandsIn);
}

function isCustom(value: object): value is CustomCommand {
  return 'runner' in value && value.runner === 'custom';
}
