import type { EndedStatus } from './state.ts';

/** What an overview says of a pipeline in one word, the most urgent first: this is also the order of cards. */
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

/** What the status of a card is decided from. */
export interface CardFacts {
  paused: boolean;
  jobs: number;
  pausedJobs: number;
  /** How many jobs that are not paused ended so: by the newest ended build of each. */
  outcomes: Readonly<Record<EndedStatus, number>>;
  /** Builds that run, and builds that wait for approval or for their turn. */
  running: number;
  waiting: number;
}

/**
 * The status of a pipeline. Like its picture, it does not count how paused jobs ended. A job that has not run
 * yet does not hide that the others succeeded: some jobs only run when a person starts them.
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
  /** `7`, or for retries `7.1`. */
  number: string;
  /** When it ended, started or was created, whichever came last (RFC 3339, UTC). */
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
  /** The newest build that made a job fail, and how many jobs have failed; only if the status is `failed`. */
  failure?: CardBuild & { jobs: number };
  newest?: CardBuild;
}

export const titleOf = ({ displayName, name }: Pick<PipelineCard, 'displayName' | 'name'>): string =>
  displayName ?? name;
