import { randomUUID } from 'node:crypto';
import { orAbsent } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { MARKS_PATCH } from '#adapters/kubernetes/secrets/secret-marks.ts';
import type { ProviderObjects } from '#flows/people/object-ports.ts';
import { mapAnswer, objectAnswer } from './written.ts';

export interface ClientSecretsOptions {
  client: Pick<ApiClient, 'get' | 'patchMerge'>;
  namespace: string;
  /** The one Secret that the API writes; the operator makes it, empty. */
  name: string;
}

type ClientSecrets = Pick<ProviderObjects, 'keepSecret' | 'dropSecret' | 'dropSecretsBefore'>;

/**
 * Secrets of our clients at identity providers that came by the API. Each has a key of its own for ever,
 * `<provider>_<time>_<id>`: an object names the old one or the new one, never half of a change, and whoever
 * has a key's value has the right one.
 */
export function clientSecrets({ client, namespace, name }: ClientSecretsOptions): ClientSecrets {
  const ref = { namespace, name };
  const drop = async (keys: string[]): Promise<void> => {
    if (keys.length === 0) return;
    await client.patchMerge(KINDS.secrets, ref, { data: Object.fromEntries(keys.map((key) => [key, null])) });
  };
  return {
    async keepSecret(canonical, secret) {
      const key = `${canonical}_${Date.now()}_${randomUUID()}`;
      const data = { [key]: Buffer.from(secret).toString('base64') };
      const written = mapAnswer(
        objectAnswer(await client.patchMerge(KINDS.secrets, ref, { data })),
        () => key,
      );
      if (written.answer !== 'unknown') return written;
      return {
        answer: 'away',
        message: `The Secret ${name} is not there yet: the operator makes it when it starts.`,
      };
    },
    dropSecret: async (key) => await drop([key]),
    async dropSecretsBefore(canonical, at, but) {
      const found = await client.get(KINDS.secrets, ref);
      if (!found.ok) return;
      const old = Object.keys(found.value.data ?? {}).filter((key) => {
        const [owner, time = ''] = key.split('_');
        return owner === canonical && key !== but && Number(time) < at.getTime();
      });
      await drop(old);
    },
  };
}

/**
 * Brings the Secret of an older release up to what keeps Argo CD from deleting it. Without the Secret there
 * is nothing to do.
 */
export async function markClientSecrets({ client, namespace, name }: ClientSecretsOptions): Promise<void> {
  orAbsent(
    await client.patchMerge(KINDS.secrets, { namespace, name }, { metadata: MARKS_PATCH }),
    `marking the Secret ${name}`,
  );
}

/** The value of one key, from the API server: mounted files come a minute late. */
export async function readClientSecret(
  { client, namespace, name }: Omit<ClientSecretsOptions, 'client'> & { client: Pick<ApiClient, 'get'> },
  key: string,
): Promise<string | undefined> {
  const found = await client.get(KINDS.secrets, { namespace, name });
  const value = found.ok ? found.value.data?.[key] : undefined;
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
}
