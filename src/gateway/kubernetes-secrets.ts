import type { V1Secret } from '@kubernetes/client-node';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import { parseSecretFile, type SecretFile } from '#adapters/secrets/parse-secret-file.ts';
import type { SecretLookup } from '#domain/planning/next-lookups.ts';
import type { SecretOwner } from '#flows/builds/session-ports.ts';
import type { SecretLookupResult, SecretSource } from './team-secrets.ts';
import { unavailable } from './unavailable.ts';

type Client = Pick<ApiClient, 'get'>;
type SecretFound = { secret: Wire<V1Secret> } | { fault: string; transient?: boolean };

const NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;
const MAX_SECRETS_AT_A_TIME = 4;
const KEY = /^[\w.-]{1,253}$/;

/**
 * Reads only Secrets with the label `millrace.dev/usable=true`, so that authors of pipelines cannot read
 * other Secrets of the namespace.
 */
export function kubernetesSource(client: Client): SecretSource {
  return async ({ namespace }, lookups) => {
    const results = new Map<SecretLookup, SecretLookupResult>();
    const groups = [...Map.groupBy(lookups, ({ path }) => path)];
    // A Secret can have 1 MiB, so the gateway holds only a few in memory at a time.
    const readRemaining = async (): Promise<void> => {
      for (let next = groups.shift(); next !== undefined; next = groups.shift()) {
        const [path, group] = next;
        const found = await findSecret(client, namespace, path);
        for (const lookup of group) results.set(lookup, valueInUsable(found, lookup));
      }
    };
    await Promise.all(Array.from({ length: MAX_SECRETS_AT_A_TIME }, readRemaining));
    return lookups.map((lookup) => results.get(lookup) ?? NO_SECRET);
  };
}

function valueInUsable(found: SecretFound, { key }: SecretLookup): SecretLookupResult {
  if ('fault' in found) return found;
  if (found.secret.metadata?.labels?.[LABEL.usable] !== 'true')
    return { fault: `it lacks the label ${LABEL.usable}=true` };
  return valueOf(found.secret, key, 'the Secret has no such key');
}

/**
 * Reads the Secret that the Team names in `secretRef`. Each key of the Secret is a value or a file of values.
 */
export function teamSecretSource(client: Client): SecretSource {
  return async (owner, lookups) => {
    const found = await findTeamSecret(client, owner);
    if ('fault' in found) return lookups.map(() => found);
    const files = new Map<string, SecretFile>();
    return lookups.map((lookup) => valueInTeamSecret(found.secret, lookup, files));
  };
}

/** `files` caches the parsed files of the Secret, by format and path. */
function valueInTeamSecret(
  secret: Wire<V1Secret>,
  { source, path, key, config }: SecretLookup,
  files: Map<string, SecretFile>,
): SecretLookupResult {
  if (path === '') return valueOf(secret, key, 'the Secret of the Team has no such key');
  const text = valueOf(secret, path, 'the Secret of the Team has no key with the name in path');
  if ('fault' in text) return text;
  const format = source === 'env' ? 'env' : (config['format'] ?? '');
  const cacheKey = `${format} ${path}`;
  const file = files.get(cacheKey) ?? parseSecretFile(text.value, path, format);
  files.set(cacheKey, file);
  if ('fault' in file) return file;
  const value = file.values.get(key);
  return value === undefined ? { fault: 'the file has no such key' } : { value };
}

async function findTeamSecret(client: Client, { team, namespace }: SecretOwner): Promise<SecretFound> {
  const answer = await client.get(KINDS.teams, { name: team });
  if (!answer.ok) return transientFault(`reading Team ${team}`, answer);
  const name = answer.value.spec.secretRef?.name;
  if (name === undefined) return { fault: `the Team ${team} has no spec.secretRef` };
  return await findSecret(client, namespace, name);
}

const NO_SECRET = { fault: 'there is no such Secret in the namespace of the team' };

async function findSecret(client: Client, namespace: string, name: string): Promise<SecretFound> {
  if (!NAME.test(name)) return NO_SECRET;
  const answer = await client.get(KINDS.secrets, { namespace, name });
  if (answer.ok) return { secret: answer.value };
  return answer.status === 404 ? NO_SECRET : transientFault(`reading Secret ${namespace}/${name}`, answer);
}

function transientFault(operation: string, problem: Parameters<typeof unavailable>[1]): SecretFound {
  return { fault: unavailable(operation, problem).reason, transient: true };
}

function valueOf(secret: Wire<V1Secret>, key: string, fault: string): SecretLookupResult {
  const data = secret.data ?? {};
  if (!KEY.test(key) || !Object.hasOwn(data, key)) return { fault };
  return { value: Buffer.from(data[key] ?? '', 'base64').toString('utf8') };
}
