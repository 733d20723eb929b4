import { defined } from '#defined';

/**
 * The parts of an image's name. Its manifest is at `https://<host>/v2/<repository>/manifests/<digest or
 * tag>`.
 */
export interface ImageName {
  /** Host and port of the registry's API. */
  host: string;
  /** Host and port as they are in image names, for example `docker.io`. */
  domain: string;
  repository: string;
  tag: string;
  /** Takes precedence over the tag. */
  digest?: string;
}

const DEFAULT_DOMAIN = 'docker.io';
const OLD_DOMAIN = 'index.docker.io';
/** Docker Hub serves its API at another host than the one in its image names. */
const DEFAULT_HOST = 'registry-1.docker.io';

/** Parses a name that `isImage` accepts, by the rules of container runtimes. */
export function readImageName(image: string): ImageName {
  const [name = '', digest] = image.split('@');
  const { domain, path } = splitDomain(name);
  const [repository = '', tag = 'latest'] = path.split(':');
  const version = { tag, ...defined({ digest }) };
  if (domain !== DEFAULT_DOMAIN) return { host: domain, domain, repository, ...version };
  const isOfficial = !repository.includes('/');
  return {
    host: DEFAULT_HOST,
    domain,
    repository: isOfficial ? `library/${repository}` : repository,
    ...version,
  };
}

function splitDomain(name: string): { domain: string; path: string } {
  const slash = name.indexOf('/');
  const firstSegment = name.slice(0, Math.max(slash, 0));
  if (!isDomain(firstSegment)) return { domain: DEFAULT_DOMAIN, path: name };
  return { domain: firstSegment === OLD_DOMAIN ? DEFAULT_DOMAIN : firstSegment, path: name.slice(slash + 1) };
}

/**
 * The first segment of a name is a domain only if it has a dot, a port or a capital, or is `localhost`.
 * Otherwise it is part of the path.
 */
const isDomain = (firstSegment: string): boolean =>
  firstSegment === 'localhost' || /[.:]/.test(firstSegment) || firstSegment !== firstSegment.toLowerCase();

/** Whether container runtimes use plain HTTP for this registry without configuration. */
export const isLoopbackRegistry = (host: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3})(?::\d+)?$/.test(host);
