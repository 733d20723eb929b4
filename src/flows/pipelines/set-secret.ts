import { refuseSecret, type SecretKind, type SecretRefusal } from '#domain/access/stored-secret.ts';
import type { AuditedAct } from '#flows/people/ports.ts';
import type { SecretScope, SetSecretPorts } from './secret-ports.ts';

type SecretSet =
  | { answer: 'done' }
  | { answer: 'refused'; refusal: SecretRefusal }
  /** No such team or pipeline. */
  | { answer: 'unknown' }
  /** The key of the installation does not exist yet. */
  | { answer: 'no-key' };

/** Stores a value under this name. Replaces the value that the name has so far. */
export async function storeSecret(
  scope: SecretScope,
  secret: { name: string; kind: SecretKind; value: string },
  act: AuditedAct,
  { secrets, seal }: SetSecretPorts,
): Promise<SecretSet> {
  const { name, kind, value } = secret;
  const answer = await secrets.withSecrets(scope, async (tx): Promise<SecretSet> => {
    const refusal = refuseSecret(secret, await tx.facts(name));
    if (refusal !== undefined) return { answer: 'refused', refusal };
    const stored = kind === 'plain' ? value : await seal(value, tx.locationOf(name));
    if (stored === undefined) return { answer: 'no-key' };
    await tx.save(name, stored, act);
    return { answer: 'done' };
  });
  return answer ?? { answer: 'unknown' };
}
