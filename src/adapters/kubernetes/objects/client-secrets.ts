import { randomUUID } from 'node:crypto';
import { orAbsent } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { MARKS_PATCH } from '#adapters/kubernetes/secrets/secret-marks.ts';
import type { ObjectAnswer, ProviderObjects } from '#flows/people/object-ports.ts';
import { mapAnswer, objectAnswer } from './object-answer.ts';

export interface ClientSecretsOptions {
  client: Pick<ApiClient, 'get' | 'patchMerge'>;
  namespace: string;
  /**
   * The Secret that holds the client secrets: the only one that Millrace's API writes. The operator creates
   * it without keys.
   */
  name: string;
}

type ClientSecrets = Pick<ProviderObjects, 'saveSecret' | 'deleteSecret' | 'deleteSecretsBefore'>;

/**
 * How many times the deletion of keys is tried. If all attempts fail, the client secret stays stored until a
 * later change of the provider deletes it.
 */
const MAX_ATTEMPTS = 3;
const DELETED: ObjectAnswer = { answer: 'done', value: undefined };

/**
 * Stores the client secrets that people enter through the API. Each gets a key of its own,
 * `<provider>_<time>_<id>`, which is never reused. An OAuthProvider object therefore names either the old or
 * the new secret, and the value of a key never changes.
 */
export function clientSecrets({ client, namespace, name }: ClientSecretsOptions): ClientSecrets {
  const ref = { namespace, name };
  const deleteKeys = async (keys: string[]): Promise<ObjectAnswer> => {
    if (keys.length === 0) return DELETED;
    const data = Object.fromEntries(keys.map((key) => [key, null]));
    for (let attempt = 1; ; attempt += 1) {
      const answer = objectAnswer(await client.patchMerge(KINDS.secrets, ref, { data }));
      if (answer.answer === 'unknown') return DELETED;
      if (answer.answer === 'done' || attempt === MAX_ATTEMPTS) return answer;
    }
  };
  return {
    async saveSecret(canonical, secret) {
      const key = `${canonical}_${Date.now()}_${randomUUID()}`;
      const data = { [key]: Buffer.from(secret).toString('base64') };
      const written = mapAnswer(
        objectAnswer(await client.patchMerge(KINDS.secrets, ref, { data })),
        () => key,
      );
      if (written.answer !== 'unknown') return written;
      return {
        answer: 'unreachable',
        message: `The Secret ${name} does not exist yet: the operator creates it when it starts.`,
      };
    },
    deleteSecret: async (key) => await deleteKeys([key]),
    async deleteSecretsBefore(canonical, at, except) {
      const found = await client.get(KINDS.secrets, ref);
      if (!found.ok) return found.status === 404 ? DELETED : objectAnswer(found);
      const old = Object.keys(found.value.data ?? {}).filter((key) => {
        const [owner, time = ''] = key.split('_');
        return owner === canonical && key !== except && Number(time) < at.getTime();
      });
      return await deleteKeys(old);
    },
  };
}

/**
 * Adds the labels and annotations that protect the Secret from Argo CD. A Secret that an older release
 * created does not have them.
 */
export async function markClientSecrets({ client, namespace, name }: ClientSecretsOptions): Promise<void> {
  orAbsent(
    await client.patchMerge(KINDS.secrets, { namespace, name }, { metadata: MARKS_PATCH }),
    `marking the Secret ${name}`,
  );
}

/**
 * Reads one key from the API server, because mounted files are up to a minute late. Undefined if there is no
 * such key or the request fails.
 */
export async function readClientSecret(
  { client, namespace, name }: Omit<ClientSecretsOptions, 'client'> & { client: Pick<ApiClient, 'get'> },
  key: string,
): Promise<string | undefined> {
  const found = await client.get(KINDS.secrets, { namespace, name });
  const value = found.ok ? found.value.data?.[key] : undefined;
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
}
