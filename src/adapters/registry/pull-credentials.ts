import type { ImageName } from './image-name.ts';

export interface PullCredential {
  username: string;
  password: string;
}

interface ServerCredential extends PullCredential {
  /** Host with optional port and path. A label of the host may contain `*` for any text. */
  server: string;
}

/** The key that holds registry credentials, by type of Secret. */
const KEYS_BY_SECRET_TYPE: Readonly<Record<string, string>> = {
  'kubernetes.io/dockerconfigjson': '.dockerconfigjson',
  'kubernetes.io/dockercfg': '.dockercfg',
};

/**
 * Returns the text with the credentials in a Secret. Returns undefined if the Secret has another type or
 * lacks the key.
 */
export function credentialText(type: string | undefined, data: Record<string, string>): string | undefined {
  const encoded = data[KEYS_BY_SECRET_TYPE[type ?? ''] ?? ''];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

/**
 * Returns the credentials that match the image by the rules of the kubelet, and in its order. Credentials for
 * the same server keep their order. `texts`: results of `credentialText`.
 */
export function credentialsFor(image: ImageName, texts: readonly string[]): PullCredential[] {
  // Sorts servers in descending order, as the kubelet does, so that a longer path comes before a shorter one.
  const credentials = texts
    .flatMap(readCredentials)
    .toSorted((a, b) => Number(a.server < b.server) - Number(a.server > b.server));
  const matching = credentials.filter(({ server }) => appliesTo(server, image));
  return matching.map(({ username, password }) => ({ username, password }));
}

function readCredentials(text: string): ServerCredential[] {
  const parsed = parseObject(text);
  const servers = isObject(parsed['auths']) ? parsed['auths'] : parsed;
  return Object.entries(servers).flatMap(([server, entry]) => {
    const credential = isObject(entry) ? readCredential(entry) : undefined;
    return credential === undefined ? [] : [{ server: plainServer(server), ...credential }];
  });
}

/** `auth` is `name:password` in base64. */
function readCredential(entry: Record<string, unknown>): PullCredential | undefined {
  const { username, password, auth } = entry;
  if (typeof auth === 'string' && auth !== '') {
    const [, name, secret] = /^([^:]*):([^\0]*)/.exec(Buffer.from(auth, 'base64').toString('utf8')) ?? [];
    return name === undefined || secret === undefined ? undefined : { username: name, password: secret };
  }
  if (typeof username !== 'string' || typeof password !== 'string') return undefined;
  return { username, password };
}

/** Removes the scheme and the version of the API, which old versions of Docker stored with the host. */
function plainServer(server: string): string {
  return server.replace(/^https?:\/\//, '').replace(/(?:\/v[12])?\/?$/, '');
}

function appliesTo(server: string, { domain, repository }: ImageName): boolean {
  const [host = '', ...path] = server.split('/');
  if (!repository.startsWith(path.join('/'))) return false;
  if (domain === 'docker.io' && host === 'index.docker.io') return true;
  const [name = '', port = ''] = host.split(':');
  const [imageHost = '', imagePort = ''] = domain.split(':');
  return port === imagePort && isSameHost(name, imageHost);
}

function isSameHost(pattern: string, host: string): boolean {
  const labels = host.split('.');
  const patterns = pattern.split('.');
  return (
    patterns.length === labels.length &&
    patterns.every((labelPattern, index) => matchesLabel(labelPattern, labels[index] ?? ''))
  );
}

/** `*` matches any text. Takes linear time, because tenants write the pattern. */
function matchesLabel(pattern: string, label: string): boolean {
  const [start = '', ...pieces] = pattern.split('*');
  const end = pieces.pop();
  if (end === undefined) return start === label;
  if (label.length < start.length + end.length || !label.startsWith(start) || !label.endsWith(end))
    return false;
  let remaining = label.slice(start.length, label.length - end.length);
  for (const piece of pieces) {
    const index = remaining.indexOf(piece);
    if (index < 0) return false;
    remaining = remaining.slice(index + piece.length);
  }
  return true;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
