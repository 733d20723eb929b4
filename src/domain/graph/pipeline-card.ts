import type { EndedStatus } from './state.ts';

/** The statuses that a pipeline can have in an overview, the most urgent first. */
export const CARD_STATUSES = [
  'failed',
  'running',
  'waiting',
  'cancelled',
  'warning',
  'paused',
  'succeeded',
  'idle',
] as const;
export type CardStatus = (typeof CARD_STATUSES)[number];

/** The status as people read and search it. */
export const CARD_WORDS: Readonly<Record<CardStatus, string>> = {
  failed: 'failed',
  running: 'running',
  waiting: 'waiting',
  cancelled: 'cancelled',
  warning: 'warning',
  paused: 'paused',
  succeeded: 'succeeded',
  idle: 'not yet run',
};

export function isCardStatus(word: unknown): word is CardStatus {
  return CARD_STATUSES.some((status) => status === word);
}

/** The facts that decide the status of a card. */
export interface CardFacts {
  paused: boolean;
  jobs: number;
  pausedJobs: number;
  /**
   * How many jobs have each outcome: the outcome of a job is the outcome of its newest ended build. Paused
   * jobs do not count.
   */
  outcomes: Readonly<Record<EndedStatus, number>>;
  /** Number of builds that run. */
  running: number;
  /** Number of builds that have not started: they wait for approval, for their turn or for their Pod. */
  waiting: number;
}

/**
 * The status of a pipeline in an overview. The outcomes of paused jobs do not count, as in the picture of the
 * pipeline. The status can be `succeeded` although a job has never run, because some jobs run only when a
 * person starts them.
 */
export function cardStatusOf(facts: CardFacts): CardStatus {
  const { paused, jobs, pausedJobs, outcomes, running, waiting } = facts;
  if (paused || (jobs > 0 && pausedJobs === jobs)) return 'paused';
  if (outcomes.failed > 0) return 'failed';
  if (running > 0) return 'running';
  if (waiting > 0) return 'waiting';
  return (['cancelled', 'warning', 'succeeded'] as const).find((outcome) => outcomes[outcome] > 0) ?? 'idle';
}

/** A build that a card names. */
export interface CardBuild {
  job: string;
  /** The number of the build, `7`, or of a retry, `7.1`. */
  number: string;
  /** When the build ended, started or was created, whichever came last (RFC 3339, UTC). */
  at: string;
}

/** A pipeline in an overview. */
export interface PipelineCard {
  id: number;
  team: string;
  name: string;
  displayName?: string;
  public: boolean;
  status: CardStatus;
  running: number;
  /**
   * Present only if the status is `failed`: the newest of the builds that make a job count as failed. `jobs`:
   * how many jobs count as failed.
   */
  failure?: CardBuild & { jobs: number };
  /** The newest build of the pipeline. Absent: it never had one. */
  newest?: CardBuild;
}

export const titleOf = ({ displayName, name }: Pick<PipelineCard, 'displayName' | 'name'>): string =>
  displayName ?? name;
