import { decideKeys, publishedKeys } from '#domain/build/identity-keys.ts';
import type { IdentityKeyStore, NewIdentityKey, PublicJwk } from './identity-key-ports.ts';
import type { SealedValue } from './secret-ports.ts';

export interface MaintainIdentityKeysPorts {
  identityKeys: Pick<IdentityKeyStore, 'withKeys'>;
  makeKey: () => Promise<NewIdentityKey>;
  /** Whether the installation has the key that opens this value. */
  canOpen: (sealed: SealedValue) => boolean;
  now: () => Date;
}

export interface IdentityKeysMaintained {
  created: string[];
  removed: string[];
}

/** Creates the keys that sign identity tokens, and removes those that nothing needs any more. */
export async function maintainIdentityKeys({
  identityKeys,
  makeKey,
  canOpen,
  now,
}: MaintainIdentityKeysPorts): Promise<IdentityKeysMaintained> {
  return await identityKeys.withKeys(async (tx) => {
    const at = now();
    const keys = await tx.keys();
    const { newKeySignsInMs, remove } = decideKeys(
      keys.map((key) => ({ ...key, isLost: !canOpen(key.sealed) })),
      at,
    );
    for (const id of remove) await tx.remove(id, at);
    if (newKeySignsInMs === undefined) return { created: [], removed: remove };
    const key = await makeKey();
    await tx.add(key, new Date(at.getTime() + newKeySignsInMs), at);
    return { created: [key.id], removed: remove };
  });
}

/** The public keys that verifiers of identity tokens get. */
export async function publishedIdentityKeys({
  identityKeys,
  now,
}: {
  identityKeys: Pick<IdentityKeyStore, 'publicKeys'>;
  now: () => Date;
}): Promise<PublicJwk[]> {
  const keys = await identityKeys.publicKeys();
  return publishedKeys(keys, now()).map(({ publicKey }) => publicKey);
}
