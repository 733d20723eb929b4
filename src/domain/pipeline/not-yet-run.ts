import { diagnose } from '#domain/language/diagnostic.ts';
import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Range } from '#domain/language/syntax.ts';
import type { CustomCommand, Pipeline } from './pipeline.ts';

/**
 * What the language has, but the operator cannot do yet: whoever builds a part strikes it from here. Blocks and attributes by the block
 * that they stand in, `*` for any.
 */
const parts: Readonly<Record<string, readonly string[]>> = {
  pipeline: ['secret_type'],
  '*': ['timeout', 'attempts', 'on_success', 'on_failure', 'on_cancel', 'ensure'],
  variable: ['secret'],
  resource_type: ['cache'],
  resource: ['cache'],
  notification: ['on'],
  job: ['input', 'notify', 'service', 'in_parallel', 'if', 'else_if', 'else'],
  approve: ['notify'],
  task: ['inputs', 'outputs'],
};

/** What is there of the parts that `*` names. */
const ready: Readonly<Record<string, readonly string[]>> = { approve: ['timeout'] };

/** Built-in resource types whose checks, gets or puts need what is not there yet. */
const types = ['svc://fs', 'svc://artifact'];

/** Every place of the text that the operator would have to pass over: it must refuse the pipeline instead. */
export function notYetRun(pipeline: Pipeline, blocks: readonly ReadBlock[]): Diagnostic[] {
  return [
    ...blocks
      .filter((block) => !isReady(block, pipeline))
      .flatMap(placesIn)
      .map(({ name, owner, range }) => later(range, owner === 'pipeline' ? name : `${name} in ${owner}`)),
    ...resourcesOf(pipeline, blocks),
    ...customCommands(pipeline, blocks),
  ];
}

/** Secrets of the type kubernetes are in place already, given values need none, and a type that nobody uses asks for nothing. */
function isReady({ type, labels }: ReadBlock, { secrets = [], secretTypes = [] }: Pipeline): boolean {
  const waiting = type === 'variable' ? secrets : secretTypes;
  const concerned = type === 'variable' || type === 'secret_type';
  return concerned && !waiting.some(({ name }) => name === labels[0]?.text);
}

interface Place {
  name: string;
  owner: string;
  range: Range;
}

const isLater = (owner: string, name: string): boolean =>
  !(ready[owner] ?? []).includes(name) &&
  ((parts[owner] ?? []).includes(name) || (owner !== 'pipeline' && (parts['*'] ?? []).includes(name)));

function placesIn(block: ReadBlock): Place[] {
  const { type, range } = block;
  return isLater('pipeline', type) ? [{ name: type, owner: 'pipeline', range }] : walk(block);
}

/** What is in a block; inside of what is refused nothing more is told. */
function walk(block: ReadBlock): Place[] {
  const owner = block.type;
  const attributes = [...block.attributes]
    .filter(([name]) => isLater(owner, name))
    .map(([name, { nameRange }]): Place => ({ name, owner, range: nameRange }));
  const inner = block.blocks.flatMap((child) =>
    isLater(owner, child.type) ? [{ name: child.type, owner, range: child.range }] : walk(child),
  );
  return [...attributes, ...inner];
}

function resourcesOf({ resources, resourceTypes }: Pipeline, blocks: readonly ReadBlock[]): Diagnostic[] {
  const refused = new Map(
    resourceTypes
      .filter(({ builtIn, origin }) => builtIn && types.includes(origin?.source ?? ''))
      .map(({ name, origin }) => [name, origin?.source.slice(6) ?? '']),
  );
  return blocks
    .filter(({ type, labels }) => type === 'resource' && refused.has(labels[0]?.text ?? ''))
    .filter(({ labels }) => resources.some(({ name }) => name === labels.map(({ text }) => text).join('.')))
    .map(({ range, labels }) => later(range, `the resource type ${refused.get(labels[0]?.text ?? '')}`));
}

/** Templates that only the agent could fill in. */
function customCommands(pipeline: Pipeline, blocks: readonly ReadBlock[]): Diagnostic[] {
  const checks = pipeline.resourceTypes.flatMap(({ check }) => commandsIn(check));
  const wanting = new Map([
    ...checks.filter(usesWorkdir).map(({ name }) => [name, '$WORKDIR for a check'] as const),
    ...commandsIn(pipeline)
      .filter(({ args }) => args.includes('$env'))
      .map(({ name }) => [name, '$env'] as const),
  ]);
  return blocks
    .filter(({ type, labels }) => type === 'runner_type' && wanting.has(labels[0]?.text ?? ''))
    .map(({ range, labels }) => later(range, `${wanting.get(labels[0]?.text ?? '')} in a runner_type`));
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

function later(range: Range, what: string): Diagnostic {
  return diagnose('later-feature', range, `${what} is known, but this version cannot do it yet`);
}
