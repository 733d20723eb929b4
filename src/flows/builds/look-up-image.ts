import type { ImageConfiguration } from '#domain/planning/entrypoint.ts';
import {
  judgeLookUpFailure,
  retryLookUpAfterMs,
  useCached,
  type KnownImage,
  type LookUpFailure,
} from '#domain/planning/image-look-up.ts';
import type { FairPool } from '#domain/scheduling/fair-pool.ts';
import type {
  ImageAnswer,
  ImageKey,
  ImagePulls,
  ImageRegistry,
  ImageStore,
  LookUpAnswer,
} from './image-ports.ts';

/** Images that a process looks up in registries at a time. Each answer can be as large as 4 MiB. */
export const MAX_LOOK_UPS = 8;

export interface LookUpPorts {
  images: ImageStore;
  registry: ImageRegistry;
  pulls: ImagePulls;
  /**
   * A look-up in a registry holds one seat. Namespaces take turns, so the slow registries of one namespace do
   * not delay the others.
   */
  seats: FairPool<number>;
  now: () => Date;
}

/**
 * Finds the configuration of an image, which contains its entrypoint. If the stored configuration is missing
 * or too old, asks the registry with the pull secrets of the Pod that runs the image. Records a failure, so
 * that for some time no build asks the registry again.
 */
export async function lookUpImage(key: ImageKey, podName: string, ports: LookUpPorts): Promise<LookUpAnswer> {
  const { images, pulls, now } = ports;
  const known = await images.known(key);
  const cached = useCached(key.image, known, now());
  if (cached?.answer === 'use') return { answer: 'found', configuration: cached.configuration };
  const facts = await pulls.factsOf({ namespace: key.namespace, name: podName });
  if (facts === undefined)
    return { answer: 'wait', reason: 'The API server does not answer, so image pull secrets are not known.' };
  const result = cached?.failure ?? (await askAndRecord({ key, known }, facts.credentialTexts, ports));
  if ('found' in result) return { answer: 'found', configuration: result.found };
  const answer = judgeLookUpFailure(result, facts.agentStartedAt, now());
  return { answer, reason: reasonOf(key.image, result) };
}

/** Asks the registry and records a failure. After a failure, an older cached configuration may be used. */
async function askAndRecord(
  { key, known }: { key: ImageKey; known: KnownImage },
  credentialTexts: string[],
  ports: LookUpPorts,
): Promise<ImageAnswer<ImageConfiguration>> {
  const { images, seats, now } = ports;
  const seat = await seats.acquire(key.namespace);
  const result = await askRegistry(key, credentialTexts, ports).finally(() => seats.release(seat));
  if ('found' in result) return result;
  const count = (known.failure?.count ?? 0) + 1;
  const at = now();
  const failure = { ...result, count, retryAt: new Date(at.getTime() + retryLookUpAfterMs(count)) };
  await images.recordFailure(key, failure, at);
  const stale = useCached(key.image, { ...known, failure }, now());
  return stale?.answer === 'use' ? { found: stale.configuration } : result;
}

/** Asks for the digest first: for a known digest, the configuration is usually cached. */
async function askRegistry(
  key: ImageKey,
  credentialTexts: string[],
  { registry, images, now }: LookUpPorts,
): Promise<ImageAnswer<ImageConfiguration>> {
  const image = registry.open(key.image, credentialTexts);
  const answer = await image.digest();
  if (!('found' in answer)) return answer;
  const digest = answer.found;
  const cached = await images.configuration(key, digest);
  const result =
    cached === undefined ? await image.configuration(digest, key.architecture) : { found: cached };
  if ('found' in result)
    await images.recordFound(key, { digest, configuration: result.found, checkedAt: now() });
  return result;
}

const reasonOf = (image: string, { failure }: LookUpFailure): string =>
  `The entrypoint of the image ${image} is not known. ${failure}`;
