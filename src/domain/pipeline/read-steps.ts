import { defined } from '#defined';
import {
  blocksOf,
  boolAt,
  labelAt,
  namesAt,
  numberAt,
  rangeOfEmptiedList,
  stringAt,
} from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { didYouMean } from '#domain/language/suggest.ts';
import type { Range } from '#domain/language/syntax.ts';
import { builtInSource } from './built-in-source.ts';
import type { KnownRunners } from './compile-context.ts';
import { readEnvironmentVariables } from './environment.ts';
import { lacksPutToken } from './git-rules.ts';
import { canonicalName } from './instances.ts';
import { checkName } from './name.ts';
import { CHECK_RUN_SOURCE, warnOfCheckRunValues, warnOfNearMisses } from './near-misses.ts';
import type { KnownNotification, KnownNotifications } from './notifications.ts';
import { checkStepParameters, checkUnique, textsByName } from './parameter-names.ts';
import { readGetParams, textParameters, valuesByName } from './protocol-types.ts';
import { readCommand } from './read-command.ts';
import {
  isBuiltInWithoutCommands,
  isTriggerStream,
  type KnownResource,
  type KnownResources,
} from './resources.ts';
import { stepName, targetOf } from './step-target.ts';
import type { GetStep, NotifyStep, PutStep, TaskStep } from './steps.ts';

/** The names that the steps of a job can refer to. */
export interface StepContext {
  report: Report;
  runners: KnownRunners;
  resources: KnownResources;
  notifications: KnownNotifications;
  /** A block could not be read. A name that seems unknown may be declared there, so it is not reported. */
  incomplete: boolean;
  /** Collects each get with its `passed`. The names are resolved once all jobs are known. */
  gets: { step: GetStep; passed: LocatedString[]; range: Range }[];
}

type TimeoutAndAttempts = Pick<TaskStep, 'timeoutSeconds' | 'attempts'>;

export function timeoutAndAttemptsOf(block: ReadBlock): TimeoutAndAttempts {
  const timeoutSeconds = numberAt(block, 'timeout');
  const attempts = numberAt(block, 'attempts');
  return {
    ...defined({ timeoutSeconds }),
    ...(attempts !== undefined && attempts > 1 && { attempts }),
  };
}

export function readGet(block: ReadBlock, context: StepContext): GetStep {
  const known = findResource(block, context);
  const resource = known?.resource.name ?? targetOf(block).text;
  const type = known?.type;
  if (type && !type.check && !type.pull && !isBuiltInWithoutCommands(type)) {
    const message = `a get cannot use ${resource}: its type ${type.name} can neither check nor pull`;
    context.report(diagnose('get-not-supported', block.range, message));
  }
  const emptied = rangeOfEmptiedList(block, 'passed');
  if (emptied)
    context.report(
      diagnose(
        'passed-empty',
        emptied,
        'the expression leaves no job in passed: the get would take versions that no job has passed',
      ),
    );
  const step: GetStep = {
    kind: 'get',
    name: nameOf(block, known, context.report),
    resource,
    trigger: boolAt(block, 'trigger') ?? false,
    passed: [],
    ...versionOf(block),
    ...readGetParams(block, type, context.report),
    ...readEnvironmentVariables(block, context.report),
    ...timeoutAndAttemptsOf(block),
  };
  context.gets.push({ step, passed: namesAt(block, 'passed'), range: block.range });
  return step;
}

function versionOf(block: ReadBlock): Pick<GetStep, 'version'> {
  const version = stringAt(block, 'version')?.text;
  return version === 'every' || version === 'latest' ? { version } : {};
}

export function readTask(block: ReadBlock, context: StepContext): TaskStep | undefined {
  const label = labelAt(block, 0);
  const isNameValid = checkName(context.report, 'title', 'task', label);
  const [command] = blocksOf(block, 'run');
  const run = command && readCommand(command, context);
  const inputs = readPaths(block, 'inputs', context.report);
  const outputs = readPaths(block, 'outputs', context.report);
  const environment = readEnvironmentVariables(block, context.report);
  if (!run || !isNameValid) return undefined;
  return {
    kind: 'task',
    name: label.text,
    run,
    ...(inputs.length > 0 && { inputs }),
    ...(outputs.length > 0 && { outputs }),
    ...environment,
    ...timeoutAndAttemptsOf(block),
  };
}

function readPaths(block: ReadBlock, attribute: string, report: Report): string[] {
  const paths = namesAt(block, attribute);
  for (const { text, range } of paths) {
    if (isInside(text)) continue;
    const message = `${JSON.stringify(text)} is not a path in the working directory`;
    report(diagnose('invalid-path', range, message));
  }
  return [...new Set(paths.map(({ text }) => text))];
}

/** Whether a path stays inside the working directory. It can be that directory itself. */
export function isInside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..') && !/\p{Cc}/u.test(path);
}

export function readPut(block: ReadBlock, context: StepContext): PutStep {
  const known = findResource(block, context);
  const resource = known?.resource.name ?? targetOf(block).text;
  if (known && !known.type.push && !isTriggerStream(known.type)) {
    const message = `a put cannot use ${resource}: its type ${known.type.name} has no push`;
    context.report(diagnose('put-not-supported', block.range, message));
  }
  if (known && lacksPutToken(known)) {
    const message = `put "${resource}" pushes over https without a token: forges refuse that`;
    context.report(diagnose('put-without-token', block.range, message));
  }
  return {
    kind: 'put',
    name: nameOf(block, known, context.report),
    resource,
    ...readPutParams(block, known, context.report),
    ...readEnvironmentVariables(block, context.report),
    ...timeoutAndAttemptsOf(block),
  };
}

function readPutParams(
  block: ReadBlock,
  known: KnownResource | undefined,
  report: Report,
): Pick<PutStep, 'params' | 'protocolParams'> {
  const parametersOfPut = [
    ...block.parameters,
    ...blocksOf(block, 'params').flatMap((params) => params.parameters),
  ];
  warnOfNearMisses(block.parameters, ['timeout', 'attempts'], known?.type, report);
  warnOfCheckRunValues(parametersOfPut, known?.type, report);
  if (known?.type.protocol !== undefined) {
    checkUnique(parametersOfPut, report);
    const subject = { name: 'the put', range: block.range };
    return { params: {}, protocolParams: valuesByName(parametersOfPut, subject, report) };
  }
  // An unknown type may accept values of any type.
  const parameters = known === undefined ? parametersOfPut : textParameters(parametersOfPut, report);
  checkStepParameters(parameters, 'put_', report);
  return { params: textsByName(parameters) };
}

export function readNotify(block: ReadBlock, context: StepContext): NotifyStep {
  const known = findNotification(block, context);
  const { parameters } = block;
  checkStepParameters(parameters, 'notify_', context.report);
  warnOfNearMisses(parameters, ['message', 'timeout', 'attempts'], known?.type, context.report);
  warnOfCheckRunValues(parameters, known?.type, context.report);
  const present = new Set([...parameters.map(({ name }) => name), ...block.misread]);
  if (known && builtInSource(known.type) === CHECK_RUN_SOURCE) {
    if (!present.has('status') && !present.has('conclusion')) {
      const message = `${targetOf(block).text} needs a status or a conclusion: without one there is nothing to report`;
      context.report(diagnose('invalid-notify', block.range, message));
    }
  }
  const message = stringAt(block, 'message');
  return {
    kind: 'notify',
    notification: targetOf(block).text,
    ...(message && { message: message.text }),
    params: textsByName(parameters),
    ...timeoutAndAttemptsOf(block),
  };
}

/**
 * Name of a step: its last label, or the label of its resource if it has none. A single label is a name that
 * the author chose, so it is checked; two labels name the resource.
 */
function nameOf(block: ReadBlock, known: KnownResource | undefined, report: Report): string {
  if (block.labels.length === 1) checkName(report, 'name', block.type, labelAt(block, 0));
  return block.labels.length === 0 && known ? known.resource.label : stepName(block).text;
}

function findResource(block: ReadBlock, context: StepContext): KnownResource | undefined {
  const { text, range } = targetOf(block);
  const name = canonicalName(text, (candidate) => context.resources.has(candidate));
  const known = context.resources.get(name);
  if (known === 'broken' || context.incomplete || isResourceMisread(block)) return undefined;
  if (known) return known;
  const message = `there is no resource "${name}"${didYouMean(name, context.resources.keys())}`;
  context.report(diagnose('unknown-resource', range, message));
  return undefined;
}

/** Whether the attribute `resource` has an error, which was reported. */
const isResourceMisread = (block: ReadBlock): boolean =>
  block.labels.length < 2 && !stringAt(block, 'resource');

function findNotification(block: ReadBlock, context: StepContext): KnownNotification | undefined {
  const { text, range } = targetOf(block);
  const known = context.notifications.get(text);
  if (known === 'broken' || context.incomplete) return undefined;
  if (known) return known;
  const message = `there is no notification "${text}"${didYouMean(text, context.notifications.keys())}`;
  context.report(diagnose('unknown-notification', range, message));
  return undefined;
}
