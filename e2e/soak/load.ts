import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '#e2e/support/command.ts';
import { pipelineManifest } from '#e2e/support/fixtures.ts';
import { pipelineApi, request } from '#e2e/support/gateway.ts';
import { messageOf } from '#tools/cluster/explain.ts';
import type { CounterServer } from './counter-server.ts';
import type { SoakHistory, SoakJob, Pause, Trigger } from './history.ts';
import type { Observer } from './observe.ts';
import { JOBS, PIPELINES, pipelineText, RESOURCE_OF_PIPELINE, type RunAddress } from './pipelines.ts';
import { sleepUnless } from './run-faults.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface LoadOptions {
  team: string;
  address: RunAddress;
  history: SoakHistory;
  counterServer: CounterServer;
  observer: Observer;
}

const PAUSABLE = 'pausable';
/**
 * While so many builds have not ended, the load triggers no build and publishes no version. The number is low
 * because the machine is small and faults should hit running builds.
 */
const MAX_OPEN_BUILDS = 6;
/** How many times a manifest is applied at most, which may take some minutes. */
const MAX_ROUNDS = 40;
const PAUSE_MS = { min: 1000, max: 4000 };

/** Sends requests to Millrace during faults, as people and machines do. */
export class LoadGenerator {
  readonly #options: LoadOptions;
  readonly #editions = new Map(PIPELINES.map((pipeline) => [pipeline, 1]));
  #pause: Pause | undefined;
  #resting = false;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Runs one random action after another until the signal. */
  async run(random: SeededRandom, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const { act } = random.weighted(this.#actions(random));
      await act();
      await sleepUnless(random.between(PAUSE_MS.min, PAUSE_MS.max), stop);
    }
  }

  #actions(random: SeededRandom): { weight: number; act: () => Promise<void> }[] {
    const busy = this.#options.observer.open >= MAX_OPEN_BUILDS;
    const actionsThatBuild = busy
      ? []
      : [
          { weight: 10, act: () => this.#trigger(this.#pickJobByHand(random)) },
          { weight: 4, act: () => this.#publish('chain') },
          { weight: 2, act: () => this.#publish('minutely') },
          { weight: 3, act: () => this.#publish('pausable') },
        ];
    const pipeline = PIPELINES[Math.floor(random.next() * PIPELINES.length)] ?? PAUSABLE;
    return [
      ...actionsThatBuild,
      { weight: 2, act: () => this.#requestCheck('chain') },
      { weight: 1, act: () => this.#requestCheck('minutely') },
      { weight: 2, act: () => this.#webhook('chain') },
      { weight: 1, act: () => this.apply(pipeline) },
      { weight: 1, act: () => this.#edit(pipeline) },
      { weight: 1, act: () => (this.#pause === undefined ? this.#pausePipeline() : this.resume()) },
    ];
  }

  #pickJobByHand(random: SeededRandom): SoakJob {
    return random.weighted(
      JOBS.flatMap((job) => (job.byHand === undefined ? [] : { ...job, weight: job.byHand })),
    );
  }

  async #trigger({ pipeline, job }: SoakJob): Promise<void> {
    const trigger: Trigger = { pipeline, job, sentAt: Date.now(), answer: 'unknown' };
    this.#options.history.triggers.push(trigger);
    try {
      const { status, body } = await pipelineApi(this.#options.team, pipeline).trigger(job);
      if (status === 201) {
        const answer: { data: { number: string } } = JSON.parse(body);
        Object.assign(trigger, { answer: 'created', number: answer.data.number });
      } else
        Object.assign(trigger, {
          answer: status < 500 ? 'refused' : 'unknown',
          problem: `${status} ${body}`,
        });
    } catch (error) {
      trigger.problem = messageOf(error);
    }
  }

  #publish(pipeline: string): Promise<void> {
    const resource = RESOURCE_OF_PIPELINE[pipeline]?.resource;
    if (resource !== undefined) this.#options.counterServer.publish(resource);
    return Promise.resolve();
  }

  async #requestCheck(pipeline: string): Promise<void> {
    const resource = RESOURCE_OF_PIPELINE[pipeline]?.resource ?? '';
    await pipelineApi(this.#options.team, pipeline)
      .check(resource)
      .catch(() => undefined);
  }

  async #webhook(pipeline: string): Promise<void> {
    const { resource = '' } = RESOURCE_OF_PIPELINE[pipeline] ?? {};
    try {
      const { webhook_token: token } = await pipelineApi(this.#options.team, pipeline).resource(resource);
      await request('POST', `/webhooks/${token}`, { authorization: '' });
    } catch {
      // A gateway that is down does not answer. Forges may or may not repeat a webhook.
    }
  }

  async #edit(pipeline: string): Promise<void> {
    this.#editions.set(pipeline, (this.#editions.get(pipeline) ?? 0) + 1);
    await this.apply(pipeline);
  }

  /** Applies the current manifest once. If that fails, it may have taken effect nevertheless. */
  async apply(pipeline: string): Promise<void> {
    const { team, address, history } = this.#options;
    const edition = this.#editions.get(pipeline) ?? 1;
    const text = pipelineText(pipeline, address, { edition, resting: this.#resting });
    const before = history.applied.findLast((applied) => applied.pipeline === pipeline)?.text;
    const applied = { at: Date.now(), pipeline, text, changed: text !== before };
    history.applied.push(applied);
    const paused = this.#pause !== undefined && pipeline === PAUSABLE && this.#pause.resumeSent === undefined;
    const manifest = pipelineManifest(team, pipeline, text, pipeline === PAUSABLE ? { paused } : {});
    const applyResult = await runProgram('kubectl', ['--request-timeout=10s', 'apply', '-f', '-'], {
      input: JSON.stringify(manifest),
    });
    if (applyResult.code !== 0) Object.assign(applied, { failed: applyResult.stderr.trim() });
  }

  async #pausePipeline(): Promise<void> {
    const pause: Pause = { pipeline: PAUSABLE, sent: Date.now() };
    this.#pause = pause;
    this.#options.history.pauses.push(pause);
    pause.acknowledged = await this.#applyUntilPausedIs(true);
  }

  /** Ends the current pause, if any. */
  async resume(): Promise<void> {
    const pause = this.#pause;
    if (pause === undefined) return;
    pause.resumeSent = Date.now();
    pause.resumed = await this.#applyUntilPausedIs(false);
    this.#pause = undefined;
  }

  /** Applies the manifest until the API shows the pipeline as paused, or as not paused. */
  async #applyUntilPausedIs(paused: boolean): Promise<number> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await this.apply(PAUSABLE);
      for (let tries = 0; tries < 20; tries++) {
        const shown = await this.#showsPaused();
        if (shown === paused) return Date.now();
        await sleep(250);
      }
    }
    throw new Error(
      `Pipeline ${PAUSABLE} is not ${paused ? 'paused' : 'resumed'} though its manifest says so.`,
    );
  }

  async #showsPaused(): Promise<boolean | undefined> {
    try {
      const { body } = await request('GET', `/teams/${this.#options.team}/pipelines/${PAUSABLE}`);
      const answer: { data?: { paused?: boolean } } = JSON.parse(body);
      return answer.data?.paused;
    } catch {
      return undefined;
    }
  }

  /**
   * After the faults: resumes the paused pipeline, publishes a last version of each resource, and triggers
   * each job that people trigger, so that a short run tests every rule.
   */
  async requestFinalBuilds(): Promise<void> {
    await this.resume();
    for (const pipeline of Object.keys(RESOURCE_OF_PIPELINE)) await this.#publish(pipeline);
    for (const job of JOBS.filter(({ byHand }) => byHand !== undefined)) await this.#trigger(job);
  }

  /**
   * Removes the check intervals, so that nothing is checked automatically. If a manifest cannot be applied
   * for some minutes, continues with the next one and reports nothing.
   */
  async stopChecks(): Promise<void> {
    this.#resting = true;
    for (const pipeline of PIPELINES) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        await this.apply(pipeline);
        if (this.#options.history.applied.at(-1)?.failed === undefined) break;
        await sleep(1000);
      }
    }
  }
}
