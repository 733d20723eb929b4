import { defined } from '#defined';
import type { GivenInputs } from '#domain/pipeline/input-values.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';
import type { JobFacts, RequestedCheck } from '#domain/scheduling/facts.ts';
import type { GatheredFacts } from '#flows/builds/schedule-ports.ts';
import type {
  RequestTransaction,
  TriggerStore,
  VersionTransaction,
  WaitingTransaction,
} from '#flows/builds/trigger-ports.ts';
import type { JobName, PipelineName } from '#flows/names.ts';

const CHECKS: RequestedCheck[] = [
  { resource: 'git.app', result: 'checked' },
  { resource: 'git.docs', result: 'failed', error: 'no such host' },
];
const UNIT = { id: 2, name: 'unit' };
const GIT = { id: 5, name: 'git.app', newest: 11 };

export const INPUTS_OF_UNIT: Input[] = [
  { name: 'env', type: 'choice', default: 'dev', options: ['dev', 'prod'] },
  { name: 'dry_run', type: 'bool', description: 'Change <nothing>', default: 'false' },
];

/**
 * The job `unit` gets version 11 of git.app. `publish` gets versions that passed `unit`, and there are none.
 */
export function inMemoryTriggers(calls: string[]): TriggerStore {
  return {
    async withRequest(name, { by, inputs }, work) {
      calls.push(`trigger ${name.team}/${name.pipeline}/${name.job} by ${by}${describeInputs(inputs)}`);
      return isKnownJob(name) ? await work(transactionOf(name, { inputs })) : undefined;
    },
    async withRequestAfterChecks(name, { by, inputs }, work) {
      calls.push(
        `trigger ${name.team}/${name.pipeline}/${name.job} by ${by} after checks${describeInputs(inputs)}`,
      );
      return isKnownJob(name) ? await work(checkedTransactionOf(name, inputs)) : undefined;
    },
    async withVersionRequests(name, { version, by }, work) {
      calls.push(`trigger ${name.resource} ${version} by ${by}`);
      const isKnown = isApp(name) && name.resource === GIT.name;
      return isKnown ? await work(versionTransactionOf(name, version)) : undefined;
    },
    wakeLateTriggers: async () => undefined,
    withWaitEnded: () => Promise.reject(new Error('no trigger waits here')),
    triggerAnswer: () => Promise.reject(new Error('no trigger waits here')),
  };
}

const isApp = ({ team, pipeline }: PipelineName): boolean => team === 'main' && pipeline === 'app';

const isKnownJob = (name: JobName): boolean => isApp(name) && (name.job === 'unit' || name.job === 'publish');

const describeInputs = (inputs: GivenInputs | undefined): string =>
  inputs === undefined ? '' : ` with ${JSON.stringify(inputs)}`;

function checkedTransactionOf(name: JobName, inputs: GivenInputs | undefined): WaitingTransaction {
  const waits = { answer: 'checking' as const, request: 1, pipelineId: 1 };
  return { ...transactionOf(name, { checks: CHECKS, inputs }), waits, open: true, answer: async () => waits };
}

interface RequestFields {
  checks?: RequestedCheck[];
  inputs?: GivenInputs | undefined;
}

function transactionOf(name: JobName, fields: RequestFields = {}): RequestTransaction {
  return {
    request: 1,
    facts: async () => factsOf(name, fields),
    older: async () => ({ passes: [], used: [], ids: new Map() }),
    interruptFacts: async () => ({ open: [], origins: new Map() }),
    write: async ({ builds }) => ({
      made: builds.map(({ cause }) => {
        const request = cause.kind === 'manual' ? cause.request : undefined;
        return { ...name, id: 10, number: '8', ...defined({ request }) };
      }),
      interrupted: [],
    }),
  };
}

function factsOf(name: JobName, { checks, inputs }: RequestFields): GatheredFacts {
  const passed = name.job === 'unit' ? [] : [{ job: UNIT.id, name: UNIT.name }];
  const get = { resource: GIT.id, trigger: true, passed, every: false, baseline: 0, unused: [] };
  const job: JobFacts = {
    id: name.job === 'unit' ? UNIT.id : 3,
    name: name.job,
    paused: false,
    gets: [get],
    inputs: name.job === 'unit' ? INPUTS_OF_UNIT : [],
    requests: [{ id: 1, by: 'ann', ...defined({ checks, inputs }) }],
  };
  return {
    paused: false,
    resources: [GIT],
    jobs: [job],
    passes: [{ upstream: UNIT.id, resource: GIT.id, rows: [], end: true }],
    used: [{ job: job.id, get: 0, versions: [], end: true }],
    ids: new Map(),
    turnConstraints: new Map(),
    more: false,
  };
}

/** Both jobs get git.app. `publish` is paused, and `unit` gets only the latest version. */
function versionTransactionOf({ team, pipeline }: PipelineName, version: number): VersionTransaction {
  const triggerRequest = { by: 'ann', version: { resource: GIT.id, version, disabled: false } };
  const get = { resource: GIT.id, trigger: true, passed: [], every: false, baseline: 0, unused: [] };
  const unit = { ...UNIT, paused: false, gets: [get], requests: [{ id: 1, ...triggerRequest }] };
  const publish = {
    id: 3,
    name: 'publish',
    paused: true,
    gets: [get],
    requests: [{ id: 2, ...triggerRequest }],
  };
  const jobs: JobFacts[] = version === GIT.newest ? [unit, publish] : [publish];
  const name = { team, pipeline, job: UNIT.name };
  return {
    ...transactionOf(name),
    pipelineId: 1,
    requests: jobs.flatMap(({ id: job, requests }) => requests.map(({ id: request }) => ({ job, request }))),
    gets: async () => jobs.map(({ id }) => ({ job: id, trigger: true, passed: [] })),
    requestFollowing: async () => undefined,
    facts: async () => ({ ...factsOf(name, {}), jobs }),
  };
}
