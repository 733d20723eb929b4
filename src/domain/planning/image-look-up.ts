import type { ImageConfiguration } from './entrypoint.ts';

/**
 * What is cached of an image. Each namespace has its own cache, since the pull secrets of namespaces differ.
 */
export interface KnownImage {
  /** Absent: the image was never found. */
  found?: { digest: string; checkedAt: Date; configuration: ImageConfiguration };
  /** How the last look-up failed, if it did. */
  failure?: FailedLookUp;
}

/** `failure`: a sentence. `transient`: a later attempt may succeed. */
export interface LookUpFailure {
  failure: string;
  transient: boolean;
}

export interface FailedLookUp extends LookUpFailure {
  /** Number of failures in a row. */
  count: number;
  /** When the next look-up may be made. */
  retryAt: Date;
}

/** How long the cached digest of a tag is used without another look-up. */
const TAG_MS = 60_000;
/**
 * How long the cached digest of a tag is used while the registry fails. Nodes use their own copies of images
 * during a failure, too.
 */
const TAG_DURING_FAILURE_MS = 24 * 60 * 60_000;
const MAX_RETRY_SECONDS = 60;
/** How long a build waits for its images: shorter than the ten minutes after which its agent gives up. */
const MAX_WAIT_MS = 8 * 60_000;

export type CachedImage =
  | { answer: 'use'; configuration: ImageConfiguration }
  | { answer: 'failed'; failure: FailedLookUp };

/**
 * What the cache says about an image. Undefined: the image must be looked up. A reference with a digest (`@`)
 * needs only one successful look-up, since its image never changes.
 */
export function useCached(image: string, { found, failure }: KnownImage, now: Date): CachedImage | undefined {
  const age = found === undefined ? Infinity : now.getTime() - found.checkedAt.getTime();
  if (found !== undefined && (image.includes('@') || age < TAG_MS))
    return { answer: 'use', configuration: found.configuration };
  if (failure === undefined || failure.retryAt <= now) return undefined;
  return found !== undefined && age < TAG_DURING_FAILURE_MS
    ? { answer: 'use', configuration: found.configuration }
    : { answer: 'failed', failure };
}

/** Milliseconds from the last of `count` failures in a row to the next look-up: 2 s, 4 s … a minute. */
export function retryLookUpAfterMs(count: number): number {
  return Math.min(MAX_RETRY_SECONDS, 2 ** Math.min(count, 30)) * 1000;
}

/**
 * Whether a build continues to wait for its images. `agentStartedAt` undefined: the agent has just started.
 */
export function judgeLookUpFailure(
  { transient }: LookUpFailure,
  agentStartedAt: Date | undefined,
  now: Date,
): 'wait' | 'end' {
  const waited = agentStartedAt === undefined ? 0 : now.getTime() - agentStartedAt.getTime();
  return transient && waited < MAX_WAIT_MS ? 'wait' : 'end';
}
