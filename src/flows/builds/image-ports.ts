import type { ImageConfiguration } from '#domain/planning/entrypoint.ts';
import type { FailedLookUp, KnownImage, LookUpFailure } from '#domain/planning/image-look-up.ts';

/* What look-ups of images need from outside. */

export type ImageAnswer<T> = { found: T } | LookUpFailure;

/** An image in its registry. Each read is limited in time and size, and its promise never rejects. */
export interface OpenImage {
  /** The digest that the image's tag has now, or the digest in its name. */
  digest(): Promise<ImageAnswer<string>>;
  /** `architecture` as in image manifests: `amd64`. */
  configuration(digest: string, architecture: string): Promise<ImageAnswer<ImageConfiguration>>;
}

export interface ImageRegistry {
  /** `credentialTexts`: contents of files in the format of Docker's `config.json`. */
  open(image: string, credentialTexts: readonly string[]): OpenImage;
}

/** An image as a pipeline names it, in the namespace whose pull secrets it is looked up with. */
export interface ImageKey {
  namespace: string;
  image: string;
  architecture: string;
}

export interface ImageStore {
  known(key: ImageKey): Promise<KnownImage>;
  /**
   * The configuration of an image with this digest that was found in the namespace. Images of other
   * namespaces do not count: the team may not be allowed to pull them.
   */
  configuration(key: ImageKey, digest: string): Promise<ImageConfiguration | undefined>;
  /** Also forgets earlier failures of the image. */
  recordFound(key: ImageKey, found: NonNullable<KnownImage['found']>): Promise<void>;
  recordFailure(key: ImageKey, failure: FailedLookUp, at: Date): Promise<void>;
}

/** What a look-up reads from the Pod that runs the image. */
export interface PullFacts {
  /** Texts of the Pod's image pull secrets, without secrets that are absent or of another type. */
  credentialTexts: string[];
  /** Absent: the kubelet has not reported that the agent started. */
  agentStartedAt?: Date;
}

export interface ImagePulls {
  /** Undefined: the API server did not answer, or has no such Pod. */
  factsOf(pod: { namespace: string; name: string }): Promise<PullFacts | undefined>;
}

/** `wait`: the caller tries again. `end`: the caller gives up. The reason is a sentence. */
export type LookUpAnswer =
  | { answer: 'found'; configuration: ImageConfiguration }
  | { answer: 'wait' | 'end'; reason: string };

/**
 * Looks images up for the Pod of this name in the namespace. In one process, concurrent calls with the same
 * key share one answer.
 */
export interface ImageLookUps {
  lookUp(key: ImageKey, podName: string): Promise<LookUpAnswer>;
}
