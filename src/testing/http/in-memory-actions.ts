import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { ActionStore, ActionTransaction, LockedBuild } from '#flows/builds/action-ports.ts';
import type { BuildRef, PipelineName } from '#flows/names.ts';

/** Builds of the job `unit`, by number. */
const BUILDS: ReadonlyMap<string, BuildStatus> = new Map([
  ['5', 'failed'],
  ['6', 'succeeded'],
  ['7', 'succeeded'],
  ['8', 'started'],
  ['9', 'waiting'],
]);

/**
 * The pipelines `app` and `managed` of team `main`, with the job `unit` and the resource `git.app`. A
 * manifest sets whether `managed` is paused. Answers are fixed: a change is only recorded in `calls`.
 */
export function inMemoryActions(calls: string[]): ActionStore {
  return {
    async withPipeline(name, work) {
      if (name.team !== 'main' || !['app', 'managed'].includes(name.pipeline)) return { answer: 'unknown' };
      return await work(transactionOf(name, (call) => void calls.push(call)));
    },
  };
}

type RecordCall = (call: string) => void;

function transactionOf({ pipeline }: PipelineName, record: RecordCall): ActionTransaction {
  return {
    pipelineId: 1,
    recordAudit: async ({ actor, action, target }) => record(`audit ${action} of ${target} by ${actor}`),
    pausedByManifest: async () => pipeline === 'managed',
    pausePipeline: async (by) => record(`pause by ${by}`),
    unpausePipeline: async () => record('unpause'),
    job: async (name) => (name === 'unit' ? 2 : undefined),
    pauseJob: async (_job, by) => record(`pause unit by ${by}`),
    unpauseJob: async () => record('unpause unit'),
    ...resourceTransaction(record),
    ...buildTransaction(record),
  };
}

type Resources = Pick<
  ActionTransaction,
  | 'resource'
  | 'pin'
  | 'unpin'
  | 'unstartedBuilds'
  | 'endUnstarted'
  | 'getsOf'
  | 'saveFloors'
  | 'requestDecision'
  | 'disableVersion'
  | 'enableVersion'
  | 'nextWebhook'
  | 'saveWebhookHash'
>;

function resourceTransaction(record: RecordCall): Resources {
  return {
    resource: async (name) => (name === 'git.app' ? { id: 5, pinned: true, managed: false } : undefined),
    pin: async ({ version, by, comment }) =>
      record(`pin git.app ${JSON.stringify({ version, by, comment })}`),
    unpin: async () => record('unpin git.app'),
    unstartedBuilds: async () => [],
    endUnstarted: async () => [],
    getsOf: async () => [],
    saveFloors: async () => undefined,
    requestDecision: async () => undefined,
    disableVersion: async (version, by) => record(`disable git.app ${version} by ${by}`),
    enableVersion: async (version) => record(`enable git.app ${version}`),
    nextWebhook: async (name, signed = false) =>
      name === 'git.app' ? { resource: 5, generation: 2, signed } : undefined,
    saveWebhookHash: async (resource, hash) => record(`webhook of ${resource} is ${hash}`),
  };
}

type Builds = Pick<
  ActionTransaction,
  | 'build'
  | 'cancel'
  | 'retryFacts'
  | 'cancelAll'
  | 'retry'
  | 'recordVote'
  | 'approve'
  | 'reject'
  | 'markWarning'
>;

function buildTransaction(record: RecordCall): Builds {
  return {
    build: async (ref) => lockedBuild(ref),
    cancel: async ({ id }, { by }) => record(`cancel unit ${id} by ${by}`),
    retryFacts: async ({ status }) => ({
      status,
      approved: true,
      retries: 0,
      versionGone: false,
      queued: 0,
      job: { name: 'unit', paused: false, pipelinePaused: false },
    }),
    cancelAll: async () => [],
    retry: async (_build, { of, by }) => record(`retry ${of} by ${by}`),
    recordVote: async ({ id }, vote) => record(`vote on ${id} ${JSON.stringify(vote)}`),
    approve: async ({ id }) => record(`approve ${id}`),
    reject: async ({ id }, { message }) => record(`reject ${id}: ${message}`),
    markWarning: async ({ id }, by) => record(`warning ${id} by ${by}`),
  };
}

/** The build's id is its number. */
function lockedBuild({ job, number }: BuildRef): LockedBuild | undefined {
  const status = job === 'unit' ? BUILDS.get(number) : undefined;
  return status && { id: Number(number), job: 2, attempt: 1, status, gate: { approvals: 1 }, votes: [] };
}
