import { rows } from '#adapters/database/connection/pool.ts';
import { applyPipeline, type ApplyPipelinePorts } from '#flows/pipelines/apply-pipeline.ts';
import type { PipelineManifest } from '#flows/pipelines/manifest-ports.ts';
import { removePipeline, type RemovePipelinePorts } from '#flows/pipelines/remove-pipeline.ts';
import { renamePipeline } from '#flows/pipelines/rename-pipeline.ts';
import { SourceTurns } from '#flows/pipelines/source-turns.ts';
import { Crash, TestProcess } from '#testing/flows/crashing-process.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { InMemoryPipelines } from '#testing/kubernetes/in-memory-pipelines.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from './schedule.ts';
import { recordFoundVersions, succeed, type TestStores } from './stores.ts';

export const TEAM = 'main';
export const APP = { team: TEAM, pipeline: 'app' };
const NEVER_CRASHES = new TestProcess(() => false);
const now = (): Date => new Date();

interface RenameOptions {
  from?: string;
  /** The gateway that receives the request. */
  testProcess?: TestProcess;
  /** What happens while the gateway waits; `operate` if absent. */
  operator?: () => Promise<unknown>;
}

/**
 * Renames with a real Postgres and objects in memory. The gateway and the operator are processes that can
 * crash at each of their calls.
 */
export class Renames {
  readonly world = new InMemoryPipelines();
  readonly #stores: TestStores;

  constructor(stores: TestStores) {
    this.#stores = stores;
  }

  /** Creates a pipeline with a history: versions, a build, a pin and a pause. */
  static async begin(stores: TestStores): Promise<Renames> {
    await stores.empty();
    await stores.pool.query(rows()`DELETE FROM kept_sources`);
    await stores.teams.saveTeam({ name: TEAM, namespace: TEAM });
    const renames = new Renames(stores);
    renames.world.add({ namespace: TEAM, name: 'app', spec: { config: 'text' } });
    await renames.operate();
    const [a = 0] = await renames.find('a', 'b');
    await succeed(stores, 'unit');
    await stores.actions.pin({ ...APP, resource: 'git.app' }, { version: a, by: 'ann' });
    await stores.actions.pauseJob({ ...APP, job: 'publish' }, 'ann');
    await stores.pipelines.cacheSources(APP, { key: 'k', sources: {} });
    return renames;
  }

  /** Completes a check that finds these versions; their builds stay queued. */
  async find(...refs: string[]): Promise<number[]> {
    const resources = await this.#stores.pool.any(
      rows<{ scope: number }>()`SELECT id AS scope FROM check_scopes`,
    );
    const versions = await recordFoundVersions(
      this.#stores,
      { resources: [...resources] },
      refs.map((ref) => ({ ref })),
    );
    for (const pipeline of await this.#stores.builds.pipelinesToSchedule(10))
      await scheduleOn(this.#stores, pipeline, now());
    return versions;
  }

  /** Lets an operator process work on each object three times. */
  async operate(testProcess = NEVER_CRASHES): Promise<void> {
    for (let look = 0; look < 3; look += 1)
      for (const manifest of this.world.manifests(TEAM)) await this.#work(manifest, testProcess);
  }

  /** Handles one request in a process of the public gateway. */
  async rename(
    to: string,
    {
      from = 'app',
      testProcess = NEVER_CRASHES,
      operator = async () => await this.operate(),
    }: RenameOptions = {},
  ) {
    let waitedMs = 0;
    return await renamePipeline(
      { team: TEAM, pipeline: from },
      to,
      { by: 'ann', at: now() },
      {
        objects: testProcess.of(this.world.objects),
        members: testProcess.of(this.#stores.access.members),
        renames: testProcess.of(this.#stores.access.renames),
        elapsed: () => waitedMs,
        wait: async (milliseconds) => {
          waitedMs += milliseconds;
          await operator();
        },
      },
    );
  }

  /** The ports of the operator's flows. */
  operatorPorts(testProcess = NEVER_CRASHES): ApplyPipelinePorts & RemovePipelinePorts {
    return {
      store: testProcess.of(this.#stores.pipelines, ['cronNext']),
      cluster: testProcess.of(this.world.cluster, [
        'sourceRulesOf',
        'pipelineLimitOf',
        'podRulesOf',
        'nodeLabel',
      ]),
      turns: new SourceTurns(),
      notifications: new RecordedNotifications(),
      externalUrl: undefined,
      now,
      compiler: { compile: async () => ({ pipeline: samplePipeline(), diagnostics: [] }) },
      reader: {
        read: async () => ({ failure: 'none', transient: false }),
        digest: (parts) => parts.join(' '),
      },
    };
  }

  objects(): string[] {
    return this.world.manifests(TEAM).map(({ pipeline }) => pipeline);
  }

  async names(): Promise<readonly string[]> {
    return await this.#stores.pool.anyFirst(rows<{ name: string }>()`SELECT name FROM pipelines ORDER BY id`);
  }

  /** The rows of pipelines and of what belongs to them, without the names and uids of pipelines. */
  async history(): Promise<readonly object[]> {
    return await this.#stores.pool.any(rows<{ kind: string; row: object }>()`
      SELECT 'pipeline' AS kind, to_jsonb(p) - 'name' - 'uid' AS row FROM pipelines p
      UNION ALL SELECT 'revision', to_jsonb(r) FROM revisions r UNION ALL SELECT 'resource', to_jsonb(r)
      FROM resources r
      UNION ALL SELECT 'job', to_jsonb(j) FROM jobs j UNION ALL SELECT 'get', to_jsonb(g) FROM job_gets g
      UNION ALL SELECT 'build', to_jsonb(b) FROM builds b UNION ALL SELECT 'version', to_jsonb(v) FROM versions v
      UNION ALL SELECT 'scope', to_jsonb(s) FROM check_scopes s
      UNION ALL SELECT 'sources', to_jsonb(k) - 'pipeline' FROM kept_sources k ORDER BY 1, 2`);
  }

  /** Audit entries about renames, oldest first. */
  async audit(): Promise<object[]> {
    const { rows: lines } = await this.#stores.access.audit.entries(
      TEAM,
      { actions: ['pipeline.updated'] },
      { limit: 100 },
    );
    return lines.map(({ actor, target, details }) => ({ actor, target, details })).toReversed();
  }

  async #work({ uid }: PipelineManifest, testProcess: TestProcess): Promise<void> {
    const manifest = this.world.manifests(TEAM).find((candidate) => candidate.uid === uid);
    if (manifest === undefined) return;
    const ports = this.operatorPorts(testProcess);
    if (manifest.deleting) {
      const removed = await removePipeline(manifest, 0, ports);
      if (removed.outcome === 'removed') this.world.removeFinalizer(manifest);
      return;
    }
    const applied = await applyPipeline(manifest, ports);
    const reason = applied.outcome === 'renaming' ? applied.reason : applied.outcome;
    this.world.judge(manifest, { ready: reason === 'applied', reason, message: reason });
  }
}

/**
 * Lets a process crash at its nth chance, counted from 0. Returns whether it had so many chances. Even then,
 * its work may be done.
 */
export async function killedAt(
  nth: number,
  doing: (testProcess: TestProcess) => Promise<unknown>,
): Promise<boolean> {
  let chances = 0;
  const testProcess = new TestProcess(() => {
    chances += 1;
    return chances > nth;
  });
  try {
    await doing(testProcess);
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
  return testProcess.dead;
}
