import type { PublicApi } from '#adapters/http/public-api.ts';

const AT = new Date('2026-11-21T10:00:00Z');
const LATER = new Date('2026-11-21T10:00:02.5Z');

/** The token that `inMemoryApi` knows. */
export const WEBHOOK_TOKEN = 'c2VjcmV0LXdlYmhvb2stdG9rZW4';

const isApp = ({ team, pipeline }: { team: string; pipeline: string }): boolean =>
  team === 'main' && pipeline === 'app';

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
    requestCheckByWebhook: async (token) => token === WEBHOOK_TOKEN,
    requestCheck: async (name) => (isApp(name) && name.resource === 'git.app' ? 'requested' : 'unknown'),
    async triggerJob(name, by) {
      calls.push(`trigger ${name.team}/${name.pipeline}/${name.job} by ${by}`);
      if (!isApp(name)) return { answer: 'unknown' };
      if (name.job === 'unit') return { answer: 'created', build: { ...name, number: '8' }, interrupted: [] };
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
    resources: async (name) => (isApp(name) ? [resource] : undefined),
    resource: async (name) => (isApp(name) && name.resource === 'git.app' ? resource : undefined),
    versions: async (name) =>
      isApp(name) ? { rows: [{ id: 11, fields: { ref: 'abc' }, createdAt: AT }], hasMore: false } : undefined,
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
    webhookToken: ({ id }) => `derived-for-${id}`,
  };
}
