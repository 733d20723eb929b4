import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '#e2e/support/command.ts';
import { pipelineManifest } from '#e2e/support/fixtures.ts';
import { pipelineApi, request } from '#e2e/support/gateway.ts';
import { messageOf } from '#tools/cluster/explain.ts';
import type { Chance } from './chance.ts';
import type { History, JobName, Pause, Trigger } from './history.ts';
import type { Observer } from './observe.ts';
import { JOBS, PIPELINES, pipelineText, RESOURCES, type Address } from './pipelines.ts';
import { sleepUnless } from './run-faults.ts';
import type { World } from './world.ts';

export interface LoadOptions {
  team: string;
  address: Address;
  history: History;
  world: World;
  observer: Observer;
}

const HELD = 'pausable';
/** Few builds at a time: the machine is small, and faults shall meet builds that run. */
const MAX_OPEN = 6;
/** Rounds of a manifest that must come to be: some minutes. */
const MAX_ROUNDS = 40;
const PAUSE_MS = { least: 1000, most: 4000 };

/** What people and machines want of Millrace while it is troubled. */
export class Load {
  readonly #options: LoadOptions;
  readonly #editions = new Map(PIPELINES.map((pipeline) => [pipeline, 1]));
  #pause: Pause | undefined;
  #resting = false;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** One deed after another, each drawn by chance, until the signal. */
  async run(chance: Chance, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const { act } = chance.weighted(this.#deeds(chance));
      await act();
      await sleepUnless(chance.between(PAUSE_MS.least, PAUSE_MS.most), stop);
    }
  }

  #deeds(chance: Chance): { weight: number; act: () => Promise<void> }[] {
    const busy = this.#options.observer.open >= MAX_OPEN;
    const building = busy
      ? []
      : [
          { weight: 10, act: () => this.#trigger(this.#byHand(chance)) },
          { weight: 4, act: () => this.#publish('chain') },
          { weight: 2, act: () => this.#publish('minutely') },
          { weight: 3, act: () => this.#publish('pausable') },
        ];
    const pipeline = PIPELINES[Math.floor(chance.next() * PIPELINES.length)] ?? HELD;
    return [
      ...building,
      { weight: 2, act: () => this.#requestCheck('chain') },
      { weight: 1, act: () => this.#requestCheck('minutely') },
      { weight: 2, act: () => this.#webhook('chain') },
      { weight: 1, act: () => this.apply(pipeline) },
      { weight: 1, act: () => this.#edit(pipeline) },
      { weight: 1, act: () => (this.#pause === undefined ? this.#pausePipeline() : this.resume()) },
    ];
  }

  #byHand(chance: Chance): JobName {
    return chance.weighted(
      JOBS.flatMap((job) => (job.byHand === undefined ? [] : { ...job, weight: job.byHand })),
    );
  }

  async #trigger({ pipeline, job }: JobName): Promise<void> {
    const trigger: Trigger = { pipeline, job, sentAt: Date.now(), answer: 'unknown' };
    this.#options.history.triggers.push(trigger);
    try {
      const { status, body } = await pipelineApi(this.#options.team, pipeline).trigger(job);
      if (status === 201) {
        const made: { data: { number: string } } = JSON.parse(body);
        Object.assign(trigger, { answer: 'created', number: made.data.number });
      } else
        Object.assign(trigger, { answer: status < 500 ? 'refused' : 'unknown', said: `${status} ${body}` });
    } catch (error) {
      trigger.said = messageOf(error);
    }
  }

  #publish(pipeline: string): Promise<void> {
    const resource = RESOURCES[pipeline]?.resource;
    if (resource !== undefined) this.#options.world.publish(resource);
    return Promise.resolve();
  }

  async #requestCheck(pipeline: string): Promise<void> {
    const resource = RESOURCES[pipeline]?.resource ?? '';
    await pipelineApi(this.#options.team, pipeline)
      .check(resource)
      .catch(() => undefined);
  }

  async #webhook(pipeline: string): Promise<void> {
    const { resource = '' } = RESOURCES[pipeline] ?? {};
    try {
      const { webhook_token: token } = await pipelineApi(this.#options.team, pipeline).resource(resource);
      await request('POST', `/webhooks/${token}`, { authorization: '' });
    } catch {
      // A gateway that is away answers nobody: whoever sent the hook comes again, or does not.
    }
  }

  async #edit(pipeline: string): Promise<void> {
    this.#editions.set(pipeline, (this.#editions.get(pipeline) ?? 0) + 1);
    await this.apply(pipeline);
  }

  /** The manifest as it is meant to be now, once; where it fails nobody knows whether it came to be. */
  async apply(pipeline: string): Promise<void> {
    const { team, address, history } = this.#options;
    const edition = this.#editions.get(pipeline) ?? 1;
    const text = pipelineText(pipeline, address, { edition, resting: this.#resting });
    const before = history.applied.findLast((applied) => applied.pipeline === pipeline)?.text;
    const applied = { at: Date.now(), pipeline, text, changed: text !== before };
    history.applied.push(applied);
    const paused = this.#pause !== undefined && pipeline === HELD && this.#pause.resumeSent === undefined;
    const manifest = pipelineManifest(team, pipeline, text, pipeline === HELD ? { paused } : {});
    const done = await run('kubectl', ['--request-timeout=10s', 'apply', '-f', '-'], {
      input: JSON.stringify(manifest),
    });
    if (done.code !== 0) Object.assign(applied, { failed: done.stderr.trim() });
  }

  async #pausePipeline(): Promise<void> {
    const pause: Pause = { pipeline: HELD, sent: Date.now() };
    this.#pause = pause;
    this.#options.history.pauses.push(pause);
    pause.acknowledged = await this.#until(true);
  }

  /** Ends a pause that there may be. */
  async resume(): Promise<void> {
    const pause = this.#pause;
    if (pause === undefined) return;
    pause.resumeSent = Date.now();
    pause.resumed = await this.#until(false);
    this.#pause = undefined;
  }

  /** Applies until the API shows it. */
  async #until(paused: boolean): Promise<number> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await this.apply(HELD);
      for (let tries = 0; tries < 20; tries++) {
        const shown = await this.#showsPaused();
        if (shown === paused) return Date.now();
        await sleep(250);
      }
    }
    throw new Error(`Pipeline ${HELD} is not ${paused ? 'paused' : 'resumed'} though its manifest says so.`);
  }

  async #showsPaused(): Promise<boolean | undefined> {
    try {
      const { body } = await request('GET', `/teams/${this.#options.team}/pipelines/${HELD}`);
      const answer: { data?: { paused?: boolean } } = JSON.parse(body);
      return answer.data?.paused;
    } catch {
      return undefined;
    }
  }

  /** One last version of each resource, which nothing holds up any more. */
  async last(): Promise<void> {
    await this.resume();
    for (const pipeline of Object.keys(RESOURCES)) await this.#publish(pipeline);
  }

  /** From now on nothing is checked by itself. */
  async rest(): Promise<void> {
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
