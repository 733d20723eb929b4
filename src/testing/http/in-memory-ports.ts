import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import type { StreamName, TriggerStreams } from '#flows/checks/trigger-stream-ports.ts';
import type { Views } from '#flows/views/ports.ts';
import type { PublicViews } from '#flows/views/public-views.ts';
import type { PipelineCards } from '#flows/views/show-cards.ts';
import type { Overviews } from '#flows/views/show-pipeline.ts';
import { inMemoryActions } from './in-memory-actions.ts';
import { IN_MEMORY_SHELLS } from './in-memory-shells.ts';
import { inMemoryTriggers, INPUTS_OF_UNIT } from './in-memory-triggers.ts';

const AT = new Date('2026-11-21T10:00:00Z');
const LATER = new Date('2026-11-21T10:00:02.5Z');

/** The only webhook token that `inMemoryPorts` accepts. */
export const WEBHOOK_TOKEN = 'c2VjcmV0LXdlYmhvb2stdG9rZW4';

const isApp = ({ team, pipeline }: { team: string; pipeline: string }): boolean =>
  team === 'main' && pipeline === 'app';

/** The overviews of the pipeline `app`, which is not public. */
function inMemoryOverviews(): Overviews {
  const pipeline = { team: 'main', pipeline: 'app', id: 1, public: false, paused: false, revision: 3 };
  const state = { jobs: [{ id: 2, name: 'unit', paused: false, doing: [] }], resources: [] };
  return {
    overview: async (name, member) =>
      isApp(name) && member ? { pipeline, jobs: [], resourceTypes: [], state } : undefined,
    picture: async (name, member, { format }) =>
      isApp(name) && member
        ? {
            tag: `tag-of-${format}`,
            public: false,
            draw: async () => ({ bytes: Buffer.from(`drawn as ${format}`) }),
          }
        : undefined,
    placedGraph: async (name, member) =>
      isApp(name) && member
        ? {
            tag: 'tag-of-graph',
            public: false,
            place: async () => ({
              graph: { nodes: [{ kind: 'job', id: 'job unit', jobs: ['unit'] }], edges: [] },
              layout: { width: 90, height: 40, nodes: [{ x: 45, y: 20 }], edges: [] },
            }),
          }
        : undefined,
    cachedPicture: () => undefined,
    badge: async (name, member) =>
      isApp(name) && member
        ? { label: 'app', word: 'succeeded', tone: 'succeeded', public: false }
        : undefined,
  };
}

/** The overview of team `main`, whose pipeline `app` has succeeded. */
function inMemoryCards(): PipelineCards {
  const app = { id: 1, team: 'main', name: 'app', public: false, status: 'succeeded' as const, running: 0 };
  const ofTeams = async (teams: readonly string[]) => (teams.includes('main') ? [app] : []);
  return {
    teams: async (teams) =>
      teams === 'all' || teams.includes('main') ? [{ name: 'main', pipelines: 1, shown: true }] : [],
    ofTeams,
    recentOfTeams: ofTeams,
    ofPipelines: async (_ids, teams) => await ofTeams(teams),
  };
}

const NOTHING_PUBLIC: PublicViews = {
  pipeline: async () => undefined,
  jobs: async () => undefined,
  job: async () => undefined,
  builds: async () => undefined,
  build: async () => undefined,
  resources: async () => undefined,
  resource: async () => undefined,
  versions: async () => undefined,
  snapshot: async () => undefined,
};

function inMemoryChecks(calls: string[]): PipelinePorts['checks'] {
  return {
    requestCheck: async (name) => (isApp(name) && name.resource === 'git.app' ? 'requested' : 'unknown'),
    resourceOfToken: async (hash) =>
      hash === hashOf(WEBHOOK_TOKEN) ? { team: 'main', pipeline: 'app', resource: 'git.app' } : undefined,
    async requestChecksByToken({ calls: webhooks }) {
      calls.push(...webhooks.map(({ signature }) => `webhook ${signature}`));
      const answers = webhooks.map(({ tokenHash, signature }) => {
        if (tokenHash !== hashOf(WEBHOOK_TOKEN)) return 'unknown';
        return signature === 'invalid' ? 'refused' : 'requested';
      });
      return { answers, written: true };
    },
  };
}

const hashOf = (token: string): string => `hash-of-${token}`;

/**
 * Team `main` with a pipeline `app`, a job `unit` that has run, a job `publish` that cannot run, and a
 * resource `git.app`.
 */
export function inMemoryPorts(): PipelinePorts & { calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    views: inMemoryViews(calls),
    publicViews: NOTHING_PUBLIC,
    overviews: inMemoryOverviews(),
    cards: inMemoryCards(),
    drawBadge: () => '<svg/>',
    actions: inMemoryActions(calls),
    builds: inMemoryTriggers(calls),
    debug: IN_MEMORY_SHELLS,
    checks: inMemoryChecks(calls),
    streams: inMemoryStreams(calls),
    webhooks: {
      token: (resource, generation) => `derived-for-${resource}-${generation}`,
      secret: (token) => `secret-of-${token}`,
      hash: hashOf,
    },
    notifications: { notify: () => undefined, listen: () => () => undefined },
    metrics: { webhook: () => undefined, trigger: () => undefined, check: () => undefined },
    sleep: async () => undefined,
    now: () => LATER,
  };
}

const isReleased = ({ team, trigger }: StreamName): boolean => team === 'main' && trigger === 'released';

/** Team `main` has the stream `released`, which its pipeline `app` declares. */
function inMemoryStreams(calls: string[]): TriggerStreams {
  const newest = { id: 20, version: { tag: 'v1' }, at: AT };
  return {
    streams: async (team) =>
      team === 'main' ? [{ trigger: 'released', pipelines: ['app'], newest }] : undefined,
    events: async (stream) => (isReleased(stream) ? { rows: [newest], hasMore: false } : undefined),
    async emit(stream, { version }) {
      calls.push(`emit ${stream.trigger} ${JSON.stringify(version)}`);
      return isReleased(stream) ? ['app'] : undefined;
    },
  };
}

function inMemoryViews(calls: string[]): Views {
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
    inputValues: {},
  };
  const latest = { number: '7', status: 'succeeded' as const, startedAt: AT, endedAt: LATER };
  const unit = {
    id: 2,
    name: 'unit',
    paused: false,
    running: false,
    doing: [],
    latest,
    inputs: INPUTS_OF_UNIT,
  };
  const log = ['one\n', 'two\n', 'three\n'].map((text, i) => ({
    attempt: 1,
    sequence: i + 1,
    step: '0',
    text,
    at: AT,
  }));
  return {
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
      return {
        ...build,
        inputValues: { env: 'prod', dry_run: 'false' },
        outputs: [],
        inputs: [input],
        steps: [step],
      };
    },
    logs: async (ref, after) => {
      if (!isApp(ref) || ref.number !== '7') return undefined;
      const chunks = log.filter(({ sequence }) => sequence > after).slice(0, 2);
      return { chunks, hasMore: after + chunks.length < log.length, complete: true, retried: [] };
    },
    changes: async (ref) =>
      isApp(ref) && ref.number === '7'
        ? {
            since: '6',
            inputs: [
              {
                name: 'app',
                resource: 'git.app',
                change: 'newer',
                versions: [{ id: 11, fields: { ref: 'abc' }, createdAt: AT, disabled: false }],
                hasMore: false,
              },
            ],
          }
        : undefined,
    buildOrigins: async (builds) => builds.map((id) => ({ build: id, inputs: [] })),
    jobDefinition: async () => undefined,
    buildIds: async (ref) => (isApp(ref) && ref.number === '7' ? { build: 9, pipeline: 1 } : undefined),
    resources: async (name) => (isApp(name) ? [resource] : undefined),
    resource: async (name) => (isApp(name) && name.resource === 'git.app' ? resource : undefined),
    versions: async (name) =>
      isApp(name)
        ? { rows: [{ id: 11, fields: { ref: 'abc' }, createdAt: AT, disabled: false }], hasMore: false }
        : undefined,
    versionUses: async (_name, versions) =>
      versions.map((version) => ({ version, builds: [], metadata: [] })),
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
  };
}
