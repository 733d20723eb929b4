import { data } from '#e2e/support/gateway.ts';
import { podsOf, type Pod } from './containers.ts';
import {
  buildKey,
  type BuildOfRun,
  type SoakHistory,
  type SoakJob,
  type PodLife,
  type Sighting,
} from './history.ts';
import { JOBS } from './pipelines.ts';
import { sleepUnless } from './run-faults.ts';

const POLL_EVERY_MS = 1200;
const FINAL = new Set(['succeeded', 'failed', 'cancelled', 'warning']);

/** A build as the API lists it. */
export interface ListedBuild {
  id: number;
  number: string;
  status: string;
  attempt: number;
}

const jobPath = (team: string, { pipeline, job }: SoakJob): string =>
  `/teams/${team}/pipelines/${pipeline}/jobs/${job}/builds`;

/**
 * Polls the Pods of a team and the 30 newest builds of each job, and records changes. While it watches, it
 * ignores failed requests.
 */
export class Observer {
  readonly #team: string;
  readonly #history: SoakHistory;
  readonly #latest = new Map<string, Sighting>();
  readonly #lives = new Map<string, PodLife>();

  constructor(team: string, history: SoakHistory) {
    this.#team = team;
    this.#history = history;
  }

  /** The number of builds that had not ended when last seen. */
  get open(): number {
    return [...this.#latest.values()].filter(({ status }) => !FINAL.has(status)).length;
  }

  get seen(): number {
    return this.#latest.size;
  }

  async watch(stop: AbortSignal): Promise<void> {
    const builds = async (): Promise<void> => {
      while (!stop.aborted) {
        await this.pollBuilds().catch(() => undefined);
        await sleepUnless(POLL_EVERY_MS, stop);
      }
    };
    const pods = async (): Promise<void> => {
      while (!stop.aborted) {
        await this.#pollPods().catch(() => undefined);
        await sleepUnless(POLL_EVERY_MS, stop);
      }
    };
    await Promise.all([builds(), pods()]);
  }

  async pollBuilds(): Promise<void> {
    for (const job of JOBS) {
      const listed = await data<ListedBuild[]>('GET', `${jobPath(this.#team, job)}?limit=30`);
      for (const build of listed) this.#record({ ...job, number: build.number }, build);
    }
  }

  #record({ pipeline, job, number }: BuildOfRun, { status, attempt }: ListedBuild): void {
    const key = buildKey({ pipeline, job, number });
    const before = this.#latest.get(key);
    if (before?.status === status && before.attempt === attempt) return;
    const sighting = { at: Date.now(), pipeline, job, number, status, attempt };
    this.#latest.set(key, sighting);
    this.#history.sightings.push(sighting);
  }

  /** An answer of the API shows one moment: Pods in one answer ran at the same time. */
  async #pollPods(): Promise<void> {
    const pods = await podsOf(this.#team, 'millrace.dev/kind=build');
    const at = Date.now();
    for (const pod of pods.filter(isLive)) {
      const life = this.#lives.get(pod.uid);
      if (life === undefined) this.#begin(pod, at);
      else life.to = at;
    }
  }

  #begin({ uid, name, labels }: Pod, at: number): void {
    const build = Number(labels['millrace.dev/build-id']);
    const attempt = Number(labels['millrace.dev/attempt']);
    const life = { uid, name, build, attempt, from: at, to: at };
    this.#lives.set(uid, life);
    this.#history.pods.push(life);
  }
}

/** Whether the Pod is not being deleted and its agent has not ended. */
const isLive = ({ deleting, phase, containers }: Pod): boolean =>
  !deleting &&
  (phase === 'Pending' || phase === 'Running') &&
  !containers.some(({ name, ended }) => name === 'agent' && ended);

/** Every build of a job in the API, newest first. */
export const buildsInApi = async (team: string, job: SoakJob): Promise<ListedBuild[]> => {
  const builds: ListedBuild[] = [];
  for (;;) {
    const before = builds.at(-1)?.id;
    const page = await data<ListedBuild[]>(
      'GET',
      `${jobPath(team, job)}?limit=100${before === undefined ? '' : `&before=${before}`}`,
    );
    builds.push(...page);
    if (page.length < 100) return builds;
  }
};
