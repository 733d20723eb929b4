import { guardedRequests } from '#adapters/fetch/guarded-request.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import type { VaultAccess } from '#adapters/secrets/vault-session.ts';
import { readVault, type VaultAnswer } from '#adapters/secrets/vault.ts';
import { defined } from '#defined';
import type { SecretLookup } from '#domain/planning/next-lookups.ts';
import type { SecretSource } from './team-secrets.ts';
import { unavailable } from './unavailable.ts';

/** The time limit of one request to Vault. */
const REQUEST_MS = 8000;
/**
 * The time limit of all requests to Vault for one read of secrets. The agent waits 30 s for its answer, then
 * asks again.
 */
export const VAULT_MS = 25_000;

/**
 * Reads secrets from the Vaults that pipelines name. The gateway connects to public addresses, and to other
 * addresses only in `allowedRanges`. Plain HTTP is refused unless the Team allows it (`sources.allowHTTP`).
 */
export function vaultSource(
  client: Pick<ApiClient, 'get'>,
  allowedRanges: readonly string[],
  limitMs = VAULT_MS,
): SecretSource {
  return async ({ team }, lookups) => {
    const deadline = AbortSignal.timeout(limitMs);
    const teamAnswer = await client.get(KINDS.teams, { name: team });
    if (!teamAnswer.ok) {
      const fault = unavailable(`reading Team ${team}`, teamAnswer).reason;
      return lookups.map(() => ({ fault, transient: true }));
    }
    const allowHttp = teamAnswer.value.spec.sources?.allowHTTP === true;
    const readGroup = async (
      ca: string | undefined,
      group: readonly SecretLookup[],
    ): Promise<VaultAnswer[]> => {
      const requests = guardedRequests({ allowedRanges, timeoutMs: REQUEST_MS, ...defined({ ca }) });
      try {
        const send: VaultAccess['send'] = (url, request) =>
          requests.send(url, { ...request, signal: AbortSignal.any([request.signal, deadline]) });
        return await readVault(group, { send, allowHttp, timeoutMs: REQUEST_MS });
      } finally {
        await requests.close();
      }
    };
    const answers = new Map<SecretLookup, VaultAnswer>();
    for (const [ca, group] of Map.groupBy(lookups, ({ config }) => config['ca'])) {
      const groupAnswers = await readGroup(ca, group);
      for (const [index, lookup] of group.entries()) {
        const answer = groupAnswers[index];
        if (answer !== undefined) answers.set(lookup, answer);
      }
    }
    return lookups.map(
      (lookup) => answers.get(lookup) ?? { fault: 'no request was sent to Vault', transient: true },
    );
  };
}
