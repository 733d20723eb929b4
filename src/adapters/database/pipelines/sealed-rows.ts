import { sql, type DatabasePool } from 'slonik';
import { rows } from '#adapters/database/connection/pool.ts';
import type { SealedValue } from '#flows/pipelines/secret-ports.ts';

/** A stored sealed value. */
export interface SealedRow extends SealedValue {
  id: number;
}

export interface SealedRows {
  /**
   * Returns values whose key is wrapped with another key than `keyId`, in order of row id, from the first id
   * above `after` on.
   */
  ofOtherKeys(keyId: string, limit: number, after?: number): Promise<SealedRow[]>;
  /**
   * Saves the wrapped key of a value that was wrapped with `formerKeyId` before. Does nothing if the value
   * was replaced meanwhile.
   */
  saveWrappedKey(row: SealedRow, formerKeyId: string): Promise<void>;
}

/** Gives access to the sealed values of a table. */
export function sealedRows(
  { pool }: { pool: DatabasePool },
  table: 'stored_secrets' | 'identity_keys',
): SealedRows {
  const name = sql.identifier([table]);
  return {
    async ofOtherKeys(keyId, limit, after = 0) {
      const found = await pool.any(rows<SealedRow>()`
        SELECT id, ciphertext, wrapped_key AS "wrappedKey", key_id AS "keyId" FROM ${name}
        WHERE key_id <> ${keyId} AND id > ${after} ORDER BY id LIMIT ${limit}`);
      return [...found];
    },
    async saveWrappedKey(row, formerKeyId) {
      await pool.query(rows()`
        UPDATE ${name} SET wrapped_key = ${byteaOrNull(row.wrappedKey)}, key_id = ${row.keyId}
        WHERE id = ${row.id} AND key_id = ${formerKeyId} AND ciphertext = ${byteaOrNull(row.ciphertext)}`);
    },
  };
}

/** Bytea parameter; SQL NULL if undefined. */
export const byteaOrNull = (value: Buffer | undefined) =>
  value === undefined ? sql.fragment`NULL` : sql.fragment`decode(${value.toString('hex')}, 'hex')`;
