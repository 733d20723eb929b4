import { sql, type DatabasePool } from 'slonik';
import { rows, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import { audit } from '#adapters/database/people/audit-store.ts';
import type {
  IdentityKeyStore,
  IdentityKeyTransaction,
  PublicJwk,
  SealedIdentityKey,
} from '#flows/pipelines/identity-key-ports.ts';
import { byteaOrNull } from './sealed-rows.ts';

export function identityKeyStore({ pool }: { pool: DatabasePool }): IdentityKeyStore {
  return {
    async publicKeys() {
      const found = await pool.any(rows<{ id: string; publicKey: PublicJwk; signsFrom: Date }>()`
        SELECT kid AS id, public_key AS "publicKey", signs_from AS "signsFrom" FROM identity_keys`);
      return [...found];
    },
    sealedKeys: async () => await sealedKeys(pool),
    withKeys: async (work) =>
      await pool.transaction(async (connection) => {
        await connection.query(rows()`LOCK TABLE identity_keys IN SHARE ROW EXCLUSIVE MODE`);
        return await work(transactionOf(connection));
      }),
  };
}

function transactionOf(connection: Transaction): IdentityKeyTransaction {
  return {
    keys: async () => await sealedKeys(connection),
    async add({ id, publicKey, sealed: { ciphertext, wrappedKey, keyId } }, signsFrom, at) {
      await connection.query(rows()`
        INSERT INTO identity_keys (kid, public_key, ciphertext, wrapped_key, key_id, created_at, signs_from)
        VALUES (${id}, ${sql.jsonb({ ...publicKey })}, ${byteaOrNull(ciphertext)}, ${byteaOrNull(wrappedKey)}, ${keyId},
          ${timestamp(at)}, ${timestamp(signsFrom)})`);
      const details = { signs_from: signsFrom.toISOString() };
      await audit(connection, { ...auditEntry(id, at), action: 'identity_key.created', details });
    },
    async remove(id, at) {
      await connection.query(rows()`DELETE FROM identity_keys WHERE kid = ${id}`);
      await audit(connection, { ...auditEntry(id, at), action: 'identity_key.deleted' });
    },
  };
}

const auditEntry = (target: string, at: Date) => ({
  actor: 'operator',
  targetType: 'identity_key',
  target,
  at,
});

async function sealedKeys(connection: Pick<Transaction, 'any'>): Promise<SealedIdentityKey[]> {
  const found = await connection.any(rows<{
    id: string;
    signsFrom: Date;
    ciphertext: Buffer;
    wrappedKey: Buffer;
    keyId: string;
  }>()`
    SELECT kid AS id, signs_from AS "signsFrom", ciphertext, wrapped_key AS "wrappedKey", key_id AS "keyId"
    FROM identity_keys`);
  return found.map(({ id, signsFrom, ...sealed }) => ({ id, signsFrom, sealed }));
}
