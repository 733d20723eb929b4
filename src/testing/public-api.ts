import type { TriggerAnswer } from '#flows/trigger-ports.ts';
import type { RequestedCheck } from '#domain/scheduling/facts.ts';
import type { Done, Refused } from '#flows/action-ports.ts';
import type { Actions } from '#flows/actions.ts';
import type { PublicApi } from '#adapters/http/public-api.ts';

const AT = new Date('2026-11-21T10:00:00Z');
const LATER = new Date('2026-11-21T10:00:02.5Z');

/** The token that `inMemoryApi` knows. */
export const WEBHOOK_TOKEN = 'c2VjcmV0LXdlYmhvb2stdG9rZW4';

const CHECKS: RequestedCheck[] = [
  { resource: 'git.app', result: 'checked' },
  { resource: 'git.docs', result: 'failed', error: 'no such host' },
];

type Answered = Promise<Done | Refused>;

async function withMore<T>(answered: Answered, more: T): Promise<(Done & T) | Refused> {
  const answer = await answered;
  return answer.answer === 'done' ? { ...answer, ...more } : answer;
}

/** What is named `app`, `unit`, `git.app`, version 11 or build 7 can be acted on; the pipeline `managed` is its manifest's. */
function inMemoryActions(calls: string[]): Actions {
  const act = async (what: string, name: { team: string; pipeline: string }): Answered => {
    if (name.pipeline === 'managed') {
      const reasons = [{ code: 'ManagedByManifest' as const, message: 'The manifest decides.' }];
      return { answer: 'refused', reasons };
    }
    if (!isApp(name)) return { answer: 'unknown' };
    calls.push(what);
    return { answer: 'done', pipelineId: 1, stopped: [] };
  };
  return {
    pausePipeline: (name, by) => act(`pause by ${by}`, name),
    unpausePipeline: (name) => act('unpause', name),
    pauseJob: (name, by) => act(`pause ${name.job} by ${by}`, name),
    unpauseJob: (name) => act(`unpause ${name.job}`, name),
    pin: (name, pin) => act(`pin ${name.resource} ${JSON.stringify(pin)}`, name),
    unpin: (name) => act(`unpin ${name.resource}`, name),
    disableVersion: (name, version, by) => act(`disable ${name.resource} ${version} by ${by}`, name),
    enableVersion: (name, version) => act(`enable ${name.resource} ${version}`, name),
    triggerVersion: (name, { version, by }) => {
      const { team, pipeline } = name;
      const builds = version === 11 ? [{ team, pipeline, job: 'unit', number: '8' }] : [];
      const reasons = [{ code: 'JobPaused' as const, message: 'Job publish is paused.' }];
      const refused = [{ job: 'publish', reasons }];
      return withMore(act(`trigger ${name.resource} ${version} by ${by}`, name), { builds, refused });
    },
    async cancelBuild(ref, by) {
      if (ref.number === '6')
        return { answer: 'refused', reasons: [{ code: 'AlreadyEnded', message: 'The build has ended.' }] };
      return await act(`cancel ${ref.job} ${ref.number} by ${by}`, ref);
    },
    retryBuild: (ref, by) =>
      withMore(act(`retry ${ref.number} by ${by}`, ref), { build: { ...ref, number: `${ref.number}.1` } }),
    vote: (ref, given) =>
      withMore(act(`vote on ${ref.number} ${JSON.stringify(given)}`, ref), {
        state: given.approve ? ('approved' as const) : ('rejected' as const),
        message: 'Voted.',
      }),
    markWarning: (ref, by) => act(`warning ${ref.number} by ${by}`, ref),
  };
}

const isApp = ({ team, pipeline }: { team: string; pipeline: string }): boolean =>
  team === 'main' && pipeline === 'app';

/** The pipeline `app` is not public. */
function inMemoryShows(): Pick<PublicApi, 'publicView' | 'picture' | 'pictureAtHand' | 'badge' | 'shown'> {
  const name = { team: 'main', pipeline: 'app', id: 1, public: false, paused: false, revision: 3 };
  const state = { jobs: [{ id: 2, name: 'unit', paused: false, doing: [] }], resources: [] };
  return {
    publicView: async (asked, member) =>
      isApp(asked) && member ? { pipeline: name, jobs: [], resourceTypes: [], state } : undefined,
    picture: async (asked, member, { format }) =>
      isApp(asked) && member
        ? {
            tag: `tag-of-${format}`,
            public: false,
            draw: async () => ({ bytes: Buffer.from(`drawn as ${format}`) }),
          }
        : undefined,
    pictureAtHand: () => undefined,
    badge: async (asked, member) => (isApp(asked) && member ? { svg: '<svg/>', public: false } : undefined),
    shown: {
      pipeline: async () => undefined,
      jobs: async () => undefined,
      job: async () => undefined,
      builds: async () => undefined,
      build: async () => undefined,
      resources: async () => undefined,
      resource: async () => undefined,
      versions: async () => undefined,
      whole: async () => undefined,
    },
  };
}

/** Team `main` with a pipeline `app`, a job `unit` that has run, a job `publish` that cannot, and a resource `git.app`. */
export function inMemoryApi(): PublicApi & { calls: string[] } {
  const calls: string[] = [];
  const pipeline = {
    id: 1,
    team: 'main',
    name: 'app',
    public: false,
    paused: false,
    revision: 3,
    jobs: 2,
    resources: 1,
  };
  const resource = {
    id: 5,
    name: 'git.app',
    type: 'git',
    schedule: { kind: 'every' as const, seconds: 30 },
    webhookGeneration: 1,
    webhookSigned: false,
    lastCheckedAt: AT,
    versions: 2,
  };
  const build = {
    id: 9,
    number: '7',
    status: 'succeeded' as const,
    attempt: 1,
    createdAt: AT,
    startedAt: AT,
    endedAt: LATER,
  };
  const latest = { number: '7', status: 'succeeded' as const, startedAt: AT, endedAt: LATER };
  const unit = { id: 2, name: 'unit', paused: false, running: false, latest };
  const log = ['one\n', 'two\n', 'three\n'].map((text, i) => ({
    attempt: 1,
    sequence: i + 1,
    step: '0',
    text,
    at: AT,
  }));
  return {
    calls,
    async requestCheckByWebhook(token, signature) {
      calls.push(`webhook ${signature}`);
      if (token !== WEBHOOK_TOKEN) return 'unknown';
      return signature === 'invalid' ? 'refused' : 'requested';
    },
    ...inMemoryShows(),
    webhookSecret: (token) => `secret-of-${token}`,
    async regenerateWebhook(name, signed) {
      if (!isApp(name) || name.resource !== 'git.app') return { answer: 'unknown' };
      const webhook = { token: 'derived-anew', secret: 'secret-anew', signed: signed ?? false };
      return { answer: 'done', pipelineId: 1, stopped: [], webhook };
    },
    requestCheck: async (name) => (isApp(name) && name.resource === 'git.app' ? 'requested' : 'unknown'),
    async triggerJob(name, { by, check }) {
      calls.push(`trigger ${name.team}/${name.pipeline}/${name.job} by ${by}${check ? ' after checks' : ''}`);
      if (!isApp(name)) return { answer: 'unknown' };
      if (check && name.job === 'busy') return { answer: 'busy' };
      const created: TriggerAnswer = { answer: 'created', build: { ...name, number: '8' }, interrupted: [] };
      if (name.job === 'unit') return check ? { ...created, checks: CHECKS } : created;
      const reasons = [{ code: 'NothingPassed', message: 'No version of git.app has passed unit.' }];
      return name.job === 'publish' ? { answer: 'refused', reasons } : { answer: 'unknown' };
    },
    pipelines: async (team) => (team === 'main' ? [pipeline] : []),
    pipeline: async (name) => (isApp(name) ? pipeline : undefined),
    jobs: async (name) => (isApp(name) ? [unit] : undefined),
    job: async (name) => (isApp(name) && name.job === 'unit' ? unit : undefined),
    async builds(name, page) {
      calls.push(`builds ${JSON.stringify(page)}`);
      return isApp(name) && name.job === 'unit' ? { rows: [build], hasMore: true } : undefined;
    },
    async build(ref) {
      if (!isApp(ref) || ref.number !== '7') return undefined;
      const input = { name: 'app', resource: 'git.app', version: 11, fields: { ref: 'abc' } };
      const step = {
        id: '0',
        kind: 'task' as const,
        name: 'test',
        status: 'succeeded' as const,
        exitCode: 0,
      };
      return { ...build, inputs: [input], steps: [step] };
    },
    logs: async (ref, after) => {
      if (!isApp(ref) || ref.number !== '7') return undefined;
      const chunks = log.filter(({ sequence }) => sequence > after).slice(0, 2);
      return { chunks, hasMore: after + chunks.length < log.length, complete: true, retried: [] };
    },
    buildIds: async (ref) => (isApp(ref) && ref.number === '7' ? { build: 9, pipeline: 1 } : undefined),
    listen: () => () => undefined,
    resources: async (name) => (isApp(name) ? [resource] : undefined),
    resource: async (name) => (isApp(name) && name.resource === 'git.app' ? resource : undefined),
    versions: async (name) =>
      isApp(name)
        ? { rows: [{ id: 11, fields: { ref: 'abc' }, createdAt: AT, disabled: false }], hasMore: false }
        : undefined,
    async versionPath(name, version) {
      if (!isApp(name) || name.resource !== 'git.app' || version !== 11) return undefined;
      const { id, number, status, startedAt, endedAt } = build;
      const path = [
        { job: 'unit', build: { id, number, status, startedAt, endedAt }, retries: [] },
        { job: 'publish', retries: [] },
      ];
      return { resource: 'git.app', version, fields: { ref: 'abc' }, path };
    },
    check: async (name) =>
      isApp(name) && name.resource === 'git.app'
        ? {
            running: false,
            lastCheckedAt: AT,
            failures: 1,
            error: 'No.',
            output: 'tried\n',
            stalled: false,
            webhookWorks: false,
            hooks: {
              first: 11,
              last: 11,
              endedAt: AT,
              error: 'One failed.',
              results: [
                { version: '11', job: 'unit', hook: 'shell', error: 'exit code 3.', output: 'told\n' },
              ],
            },
          }
        : undefined,
    waiting: async (name) =>
      isApp(name) && name.job !== 'nobody'
        ? {
            jobs: [
              { name: 'publish', reasons: [{ code: 'NothingPassed', message: 'Nothing passed unit.' }] },
            ],
            builds: [],
          }
        : undefined,
    ...inMemoryActions(calls),
    webhook: ({ id, webhookSigned }) => ({
      token: `derived-for-${id}`,
      secret: `secret-for-${id}`,
      signed: webhookSigned,
    }),
  };
}
