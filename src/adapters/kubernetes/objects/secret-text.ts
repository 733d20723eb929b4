import { orAbsent } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';

/**
 * Reads one key of a Secret; undefined if it does not exist. Throws if the API server refuses or does not
 * answer.
 */
export async function readSecretText(
  client: Pick<ApiClient, 'get'>,
  ref: { namespace: string; name: string },
  key: string,
): Promise<string | undefined> {
  const found = orAbsent(await client.get(KINDS.secrets, ref), `reading the Secret ${ref.name}`);
  const value = found?.data?.[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
}
