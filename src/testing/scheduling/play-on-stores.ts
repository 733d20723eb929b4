import { rows } from '#adapters/database/connection/pool.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { isActive, type BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { ActionDone, ActionRefused } from '#flows/builds/action-ports.ts';
import { triggerVersion } from '#flows/builds/trigger-version.ts';
import { endOn, followOn, scheduleOn, stateOn, triggerOn } from '#testing/stores/schedule.ts';
import { giveTurns, toSave, type TestStores } from '#testing/stores/stores.ts';
import { allSteps, firstStep } from './agent-events.ts';
import { definitionOf, putsOf } from './definition-of-history.ts';
import type { History } from './history.ts';
import { addJob, readPipeline } from './read-pipeline.ts';
import { rename } from './rename.ts';
import { originOfLabel } from './version-label.ts';

const APP = { team: 'main', pipeline: 'app' };
const now = (): Date => new Date();

interface BuildRow {
  id: number;
  name: string;
  attempt: number;
  status: BuildStatus;
  versions: string[];
}

/** Plays a history like `play`, but on stores; returns the lines in the same form. */
export async function playOnStores(
  stores: TestStores,
  pipeline: string,
  lines: readonly string[],
): Promise<string[]> {
  const player = new Player(stores, pipeline, lines);
  await player.save();
  const results: string[] = [];
  for (const line of lines) results.push(await player.play(line));
  return results;
}

class Player {
  readonly #stores: TestStores;
  /** The pipeline. Only its jobs and resources are used; the events are in the database. */
  readonly #history: History;
  readonly #puts: Map<string, Set<string>>;
  #pipeline = 0;
  #checking = { run: 0, scope: 0 };

  constructor(stores: TestStores, pipeline: string, lines: readonly string[]) {
    this.#stores = stores;
    this.#history = readPipeline(pipeline);
    this.#puts = putsOf(lines);
  }

  async save(): Promise<void> {
    const saved = await this.#stores.pipelines.savePipeline(toSave(definitionOf(this.#history, this.#puts)));
    this.#pipeline = saved.id;
  }

  async play(line: string): Promise<string> {
    const [events = ''] = line.split('→');
    const before = await this.#builds();
    const results: string[] = [];
    for (const event of events.trim().split(' + '))
      results.push(...(await this.#step(event.trim().split(/\s+/))));
    if (!events.startsWith('why ')) await this.#decide();
    const consequences = [...results, ...changes(before, await this.#builds())];
    const margin = ' '.repeat(Math.max(1, events.length - events.trimEnd().length));
    return `${events.trimEnd()}${margin}→ ${consequences.join(', ')}`.trimEnd();
  }

  async #decide(): Promise<void> {
    const { builds } = this.#stores;
    while ((await builds.pipelinesToSchedule(10)).length > 0) {
      const { interrupted } = await scheduleOn({ builds }, this.#pipeline, now());
      await this.#endCancelledBuilds(interrupted);
    }
    await giveTurns(this.#stores);
  }

  /** Ends the builds that must stop, as their agents would. */
  async #endCancelledBuilds(buildIds: readonly number[]): Promise<void> {
    const end = { outcome: 'cancelled', reason: 'Cancelled', message: 'Cancelled.', at: now() } as const;
    for (const build of buildIds) await endOn(this.#stores, build, 1, end);
  }

  async #step(words: string[]): Promise<string[]> {
    const [first = '', second = '', third = ''] = words;
    if (second === 'approves' || second === 'rejects')
      return await this.#vote({ by: first, approve: second === 'approves', build: third });
    if (first.includes('#')) return await this.#reportEvents(first, words.slice(1));
    const command = this.#commands()[first];
    if (command !== undefined) return await command(words.slice(1));
    await this.#applyCheck(first, words.slice(1));
    return [];
  }

  async #applyCheck(name: string, [verb = '', ...labels]: string[]): Promise<void> {
    if (verb === 'prints') await this.#playCheck(name, labels);
    else if (verb === 'begins') this.#checking = await this.#beginCheck(name);
    else if (verb === 'reports') await this.#endCheck(labels);
    else for (const label of [verb, ...labels]) await this.#playCheck(name, [label]);
  }

  #commands(): Record<string, (words: string[]) => Promise<string[]>> {
    const { actions } = this.#stores;
    return {
      pin: async ([name = '', label = '']) => {
        const version = await this.#version(name, label);
        return codes(await actions.pin(resourceRef(name), { version, by: 'ann' }));
      },
      unpin: async ([name = '']) => codes(await actions.unpin(resourceRef(name))),
      disable: async ([name = '', label = '']) =>
        codes(await actions.disableVersion(resourceRef(name), await this.#version(name, label), 'ann')),
      enable: async ([name = '', label = '']) =>
        codes(await actions.enableVersion(resourceRef(name), await this.#version(name, label))),
      pause: async ([job]) =>
        codes(
          job === undefined
            ? await actions.pausePipeline(APP, 'ann')
            : await actions.pauseJob({ ...APP, job }, 'ann'),
        ),
      unpause: async ([job]) =>
        codes(
          job === undefined ? await actions.unpausePipeline(APP) : await actions.unpauseJob({ ...APP, job }),
        ),
      trigger: async (words) => await this.#trigger(words),
      cancel: async ([name = '']) => {
        const answer = await actions.cancelBuild(buildRef(name), 'ann');
        if (answer.answer !== 'done') return codes(answer);
        const running = (await this.#build(name)).status === 'started';
        return running ? [`${name} is asked to stop`] : [];
      },
      retry: async ([name = '', , by = 'ann']) => {
        const answer = await actions.retryBuild(buildRef(name), by);
        if (answer.answer === 'done') await this.#endCancelledBuilds(answer.stopped);
        return codes(answer);
      },
      warn: async ([name = '']) => codes(await actions.markWarning(buildRef(name), 'ann')),
      add: async (words) => {
        addJob(this.#history, words.join(' '));
        await this.save();
        return [];
      },
      source: async ([name = '', source = '']) => {
        for (const resource of this.#history.resources) if (resource.name === name) resource.source = source;
        await this.save();
        return [];
      },
      rename: async ([oldName = '', name = '']) => {
        rename(this.#history, oldName, name);
        await this.save();
        return [];
      },
      hooks: async ([name = '', label = '']) => {
        await this.#stores.checks.recordHooks(await this.#hookRun(name, label), { results: [] }, now());
        return [];
      },
      why: async ([job = '']) => {
        const waiting = await this.#stores.views.waiting({ ...APP, job });
        const reasons = waiting?.jobs.flatMap((waitingJob) => waitingJob.reasons) ?? [];
        return [reasons.map(({ code }) => code).join(' ')];
      },
    };
  }

  async #trigger([name = '', label]: string[]): Promise<string[]> {
    const { builds } = this.#stores;
    if (label === undefined || this.#history.jobs.some((job) => job.name === name)) {
      const answer = await triggerOn({ builds }, { ...APP, job: name }, 'ann', now());
      if (answer.answer === 'created') await this.#endCancelledBuilds(answer.interrupted);
      if (answer.answer !== 'refused') return [];
      return [`refused ${answer.reasons.map(({ code }) => code).join(' ')}`];
    }
    const triggerRequest = { version: await this.#version(name, label), by: 'ann' };
    const answer = await triggerVersion(resourceRef(name), triggerRequest, {
      builds,
      notifications: { notify: () => undefined },
      now,
    });
    if (answer.answer !== 'done') return codes(answer);
    await this.#endCancelledBuilds(answer.stopped);
    return answer.refused.map(({ reasons }) => `refused ${reasons.map(({ code }) => code).join(' ')}`);
  }

  async #vote({ by, approve, build }: { by: string; approve: boolean; build: string }): Promise<string[]> {
    return codes(await this.#stores.actions.vote(buildRef(build), { by, approve, message: 'why' }));
  }

  /** Gives turns to queued builds, and reports the events as the agent of the build does. */
  async #reportEvents(name: string, [word = '', ...puts]: string[]): Promise<string[]> {
    const { builds } = this.#stores;
    await giveTurns(this.#stores);
    const { id, attempt, status } = await this.#build(name);
    if (!isActive(status)) throw new Error(`Build ${name} has ended.`);
    const state = await stateOn({ builds }, id, attempt);
    if (state === undefined) throw new Error(`Build ${name} has no state.`);
    const outcome = OUTCOMES[word];
    if (outcome === 'cancelled' || outcome === 'failed') {
      const reason = outcome === 'cancelled' ? 'Cancelled' : 'StepFailed';
      await endOn({ builds }, id, attempt, { outcome, reason, message: word, at: now() });
      return [];
    }
    const versions = new Map(puts.map((put) => [put.split('=')[0] ?? '', put.split('=')[1] ?? '']));
    const events = outcome === undefined ? firstStep(state) : allSteps(state, versions);
    const at = now().toISOString();
    const numbered = events.map((event, index): BuildEvent => ({
      ...event,
      at,
      sequence: state.applied + index + 1,
    }));
    const answer = await followOn({ builds }, id, attempt, numbered);
    if (answer === 'over') throw new Error(`Build ${name} is over.`);
    return [];
  }

  async #playCheck(name: string, labels: readonly string[]): Promise<void> {
    this.#checking = await this.#beginCheck(name);
    await this.#endCheck(labels);
  }

  async #beginCheck(name: string): Promise<{ run: number; scope: number }> {
    const { checks, pool } = this.#stores;
    const scope = await pool.oneFirst(rows<{ scope: number }>()`
      SELECT scope_id AS scope FROM resources WHERE name = ${`git.${name}`} AND pipeline_id = ${this.#pipeline}`);
    await checks.requestCheck(resourceRef(name), 'manual', now());
    const opened = await checks.openRun([scope], 'manual', now());
    if (opened === undefined) throw new Error(`${name} is being checked.`);
    return { run: opened.run, scope };
  }

  async #endCheck(labels: readonly string[]): Promise<void> {
    const { checks } = this.#stores;
    const { run, scope } = this.#checking;
    await checks.recordCheck(
      { run, scope, versions: labels.map((v) => ({ v, ...originOfLabel(v) })), log: '' },
      now(),
    );
    await checks.closeRun(run, now());
  }

  async #version(name: string, label: string): Promise<number> {
    return await this.#stores.pool.oneFirst(rows<{ id: number }>()`
      SELECT v.id FROM versions v JOIN resources r ON r.scope_id = v.scope_id
      WHERE r.name = ${`git.${name}`} AND r.pipeline_id = ${this.#pipeline} AND v.fields ->> 'v' = ${label}`);
  }

  async #hookRun(name: string, label: string): Promise<number> {
    return await this.#stores.pool.oneFirst(rows<{ run: number }>()`
      SELECT run_id AS run FROM hook_runs WHERE open AND last_version = ${await this.#version(name, label)}`);
  }

  async #build(name: string): Promise<BuildRow> {
    const build = (await this.#builds()).find((candidate) => candidate.name === name);
    if (build === undefined) throw new Error(`There is no build ${name}.`);
    return build;
  }

  async #builds(): Promise<BuildRow[]> {
    const builds = await this.#stores.pool.any(rows<BuildRow>()`
      SELECT b.id, b.attempt, b.status,
        j.name || '#' || CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END AS
        name, to_jsonb(ARRAY(
          SELECT v.fields ->> 'v' FROM build_inputs i JOIN versions v ON v.id = i.version_id
          WHERE i.build_id = b.id ORDER BY i.position)) AS versions
      FROM builds b JOIN jobs j ON j.id = b.job_id WHERE j.pipeline_id = ${this.#pipeline} ORDER BY b.id`);
    return [...builds];
  }
}

const OUTCOMES: Record<string, 'succeeded' | 'failed' | 'cancelled'> = {
  ok: 'succeeded',
  fails: 'failed',
  cancelled: 'cancelled',
};

function codes(answer: ActionDone | ActionRefused): string[] {
  if (answer.answer === 'done') return [];
  if (answer.answer === 'unknown') return ['unknown'];
  return [`refused ${answer.reasons.map(({ code }) => code).join(' ')}`];
}

function changes(before: readonly BuildRow[], after: readonly BuildRow[]): string[] {
  const statusesBefore = new Map(before.map(({ id, status }) => [id, status]));
  return after.flatMap(({ id, name, status, versions }) => {
    const statusBefore = statusesBefore.get(id);
    if (statusBefore === status) return [];
    if (statusBefore !== undefined) return `${name} ${status}`;
    return [name, ...versions, ...(status === 'pending' ? [] : [status])].join(' ');
  });
}

const resourceRef = (name: string) => ({ ...APP, resource: `git.${name}` });

function buildRef(name: string) {
  const [job = '', number = ''] = name.split('#');
  return { ...APP, job, number };
}
