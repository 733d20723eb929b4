import { createHash } from 'node:crypto';
import type { ImageConfiguration } from '#domain/planning/entrypoint.ts';
import type { ImageAnswer, ImageRegistry, OpenImage } from '#flows/builds/image-ports.ts';
import { readImageName, type ImageName } from './image-name.ts';
import {
  digestForArchitecture,
  isDigest,
  MANIFEST_TYPES,
  MAX_MANIFEST_BYTES,
  readConfiguration,
  readManifest,
} from './manifest.ts';
import { credentialsFor } from './pull-credentials.ts';
import {
  parseJson,
  RegistrySession,
  type RegistryAccess,
  type RegistryRead,
  type RegistryResponse,
} from './registry-session.ts';

export interface RegistryOptions extends Pick<RegistryAccess, 'send' | 'plainHttp'> {
  /** Time limit of all requests of one look-up; 15 s if absent. */
  timeoutMs?: number;
}

/** A list of images can contain lists. Deeper nesting than this is refused. */
const MAX_LISTS = 3;
const TIMEOUT_MS = 15_000;

/** Looks images up in registries by the OCI distribution specification. */
export function imageRegistry({ send, plainHttp, timeoutMs = TIMEOUT_MS }: RegistryOptions): ImageRegistry {
  return {
    open(image, credentialTexts) {
      const name = readImageName(image);
      const access = { send, plainHttp, signal: AbortSignal.timeout(timeoutMs) };
      const credentials = credentialsFor(name, credentialTexts);
      const sessionCredentials = credentials.length === 0 ? [undefined] : credentials;
      const sessions = sessionCredentials.map((credential) => new RegistrySession(name, credential, access));
      return new RegistryImage(name, sessions, credentials.length > 0);
    },
  };
}

/**
 * Looks up one image. Tries credentials in order until the registry accepts one, and uses that one from then
 * on.
 */
class RegistryImage implements OpenImage {
  readonly #name: ImageName;
  readonly #hasCredentials: boolean;
  #sessions: RegistrySession[];

  constructor(name: ImageName, sessions: RegistrySession[], hasCredentials: boolean) {
    this.#name = name;
    this.#sessions = sessions;
    this.#hasCredentials = hasCredentials;
  }

  async digest(): Promise<ImageAnswer<string>> {
    const name = this.#name;
    if (name.domain === 'localhost') return { failure: LOCALHOST_FAILURE, transient: false };
    if (name.digest !== undefined) return { found: name.digest };
    const path = `manifests/${name.tag}`;
    const answer = await this.#read({ path, method: 'HEAD', accept: MANIFEST_TYPES, maxBytes: 0 });
    if ('failure' in answer) return this.#explain(answer);
    const digest = answer.headers['docker-content-digest'];
    if (answer.status === 200 && digest !== undefined && isDigest(digest)) return { found: digest };
    const manifest = await this.#content(path, MANIFEST_TYPES);
    return 'failure' in manifest ? manifest : { found: manifest.found.digest };
  }

  async configuration(digest: string, architecture: string): Promise<ImageAnswer<ImageConfiguration>> {
    const configurationDigest = await this.#configurationDigest(digest, architecture);
    if ('failure' in configurationDigest) return configurationDigest;
    const answer = await this.#content(
      `blobs/${configurationDigest.found}`,
      '*/*',
      configurationDigest.found,
    );
    if ('failure' in answer) return answer;
    const configuration = readConfiguration(answer.found.json);
    return 'fault' in configuration
      ? lastingFailure(this.#name, configuration.fault)
      : { found: configuration };
  }

  /**
   * Follows lists of images to the image for the architecture, and returns the digest of its configuration.
   */
  async #configurationDigest(digest: string, architecture: string): Promise<ImageAnswer<string>> {
    let currentDigest = digest;
    for (let depth = 0; depth <= MAX_LISTS; depth += 1) {
      const answer = await this.#content(`manifests/${currentDigest}`, MANIFEST_TYPES, currentDigest);
      if ('failure' in answer) return answer;
      const manifest = readManifest(answer.found.json);
      if (manifest === undefined)
        return lastingFailure(this.#name, "the image's manifest has an unknown format");
      if (manifest.kind === 'image') return { found: manifest.configuration };
      const imageDigest = digestForArchitecture(manifest, architecture);
      if (imageDigest === undefined)
        return lastingFailure(this.#name, `it has no such image for linux/${architecture}`);
      currentDigest = imageDigest;
    }
    return lastingFailure(this.#name, `it nests lists of images more than ${MAX_LISTS} deep`);
  }

  /** Reads JSON and its digest. Fails if `digest` is given and the content does not match it. */
  async #content(path: string, accept: string, digest?: string): Promise<ImageAnswer<Content>> {
    const answer = await this.#read({ path, accept, maxBytes: MAX_MANIFEST_BYTES });
    if ('failure' in answer || answer.status !== 200) return this.#explain(answer);
    const actual = digestOf(answer.bytes);
    if (digest !== undefined && actual !== digest)
      return lastingFailure(this.#name, `it sent content that does not match the digest ${digest}`);
    return { found: { digest: actual, json: parseJson(answer.bytes) } };
  }

  /**
   * Tries one credential after another. Returns the first response that does not refuse the credential or, if
   * all do, the last response.
   */
  async #read(request: RegistryRead): Promise<RegistryResponse> {
    let answer: RegistryResponse = { failure: 'no request was sent', transient: true };
    for (const session of this.#sessions) {
      answer = await session.read(request);
      if ('failure' in answer) break;
      if (!REFUSING_STATUSES.has(answer.status)) {
        this.#sessions = [session];
        break;
      }
    }
    return answer;
  }

  #explain(answer: RegistryResponse): ImageAnswer<never> {
    return explain(answer, this.#name, this.#hasCredentials);
  }
}

interface Content {
  digest: string;
  json: Record<string, unknown>;
}

const REFUSING_STATUSES: ReadonlySet<number> = new Set([401, 403]);

const LOCALHOST_FAILURE = 'Images on localhost were loaded into the node and are in no registry.';

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Returns a failure that a later attempt would not change. */
function lastingFailure({ host }: ImageName, problem: string): ImageAnswer<never> {
  return { failure: `The registry ${host}: ${problem}.`, transient: false };
}

function explain(answer: RegistryResponse, name: ImageName, hasCredentials: boolean): ImageAnswer<never> {
  const { host, repository, tag, digest } = name;
  if ('failure' in answer)
    return { failure: `The registry ${host}: ${answer.failure}.`, transient: answer.transient };
  const transientFailure = (problem: string): ImageAnswer<never> => ({
    failure: `The registry ${host} ${problem}.`,
    transient: true,
  });
  switch (answer.status) {
    case 401:
    case 403:
      return transientFailure(
        hasCredentials
          ? `refuses the credentials in the Team's imagePullSecrets for ${repository}`
          : `requires a login for ${repository}: name a Secret for it in the Team's imagePullSecrets`,
      );
    case 404:
      return transientFailure(`has no image ${repository}${digest === undefined ? `:${tag}` : `@${digest}`}`);
    case 429:
      return transientFailure('limits requests at the moment (status 429)');
    default:
      return transientFailure(`answered with status ${answer.status}`);
  }
}
