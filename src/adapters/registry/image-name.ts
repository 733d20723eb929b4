import { defined } from '#defined';

/** Where an image is: `https://<host>/v2/<repository>/manifests/<digest or tag>`. */
export interface ImageName {
  /** Host and port of the registry's API. */
  host: string;
  /** Host as image names write it. */
  domain: string;
  repository: string;
  tag: string;
  /** Takes precedence over the tag. */
  digest?: string;
}

const DEFAULT_DOMAIN = 'docker.io';
const OLD_DOMAIN = 'index.docker.io';
/** Docker Hub's API has another host than its image names. */
const DEFAULT_HOST = 'registry-1.docker.io';

/** Reads a name that `isImage` accepts, by the rules of container runtimes. */
export function readImageName(image: string): ImageName {
  const [name = '', digest] = image.split('@');
  const { domain, path } = splitDomain(name);
  const [repository = '', tag = 'latest'] = path.split(':');
  const rest = { tag, ...defined({ digest }) };
  if (domain !== DEFAULT_DOMAIN) return { host: domain, domain, repository, ...rest };
  const isOfficial = !repository.includes('/');
  return {
    host: DEFAULT_HOST,
    domain,
    repository: isOfficial ? `library/${repository}` : repository,
    ...rest,
  };
}

function splitDomain(name: string): { domain: string; path: string } {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  if (!isDomain(first)) return { domain: DEFAULT_DOMAIN, path: name };
  return { domain: first === OLD_DOMAIN ? DEFAULT_DOMAIN : first, path: name.slice(slash + 1) };
}

/** A first part without dot, port or capital is part of the path. */
const isDomain = (first: string): boolean =>
  first === 'localhost' || /[.:]/.test(first) || first !== first.toLowerCase();

/** Whether runtimes use plain HTTP for it without configuration. */
export const isLoopbackRegistry = (host: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3})(?::\d+)?$/.test(host);
