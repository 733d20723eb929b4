import { sql, type DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import { audit } from '#adapters/database/people/audit-store.ts';
import type { SecretKind } from '#domain/access/stored-secret.ts';
import type { AuditedAct } from '#flows/people/ports.ts';
import type {
  SealedValue,
  SecretScope,
  SecretStore,
  SecretTransaction,
  StoredSecret,
} from '#flows/pipelines/secret-ports.ts';
import { byteaOrNull } from './sealed-rows.ts';

interface Owner {
  team: number;
  pipeline: number | null;
}

/** A stored value, sealed or plain. A sealed value can be opened only with its `location`. */
export type StoredValue = { name: string; location: string } & ({ sealed: SealedValue } | { plain: string });

export function secretStore({ pool }: { pool: DatabasePool }): SecretStore {
  return {
    async secrets(scope) {
      const owner = await findOwner(pool, scope);
      if (owner === undefined) return undefined;
      const found = await pool.any(rows<Omit<StoredSecret, 'value'> & { value: string | null }>()`
        SELECT name, kind, plain_value AS value, updated_at AS "updatedAt", updated_by AS "updatedBy"
        FROM stored_secrets WHERE ${belongsTo(owner)} ORDER BY name COLLATE "C"`);
      return found.map((row) => withoutNulls(row));
    },
    withSecrets: async (scope, work) =>
      await pool.transaction(async (connection) => {
        // The lock on the team's row makes changes of one team wait for each other, so that the count in
        // `facts` stays right.
        const owner = await findOwner(connection, scope, sql.fragment`FOR UPDATE OF t`);
        return owner === undefined ? undefined : await work(transactionOf(connection, scope, owner));
      }),
    removeSecret: async (scope, name, act) =>
      await pool.transaction(async (connection) => {
        const owner = await findOwner(connection, scope);
        if (owner === undefined) return false;
        const kind = await connection.maybeOneFirst(rows<{ kind: SecretKind }>()`
          DELETE FROM stored_secrets WHERE ${belongsTo(owner)} AND name = ${name} RETURNING kind`);
        if (kind === null) return false;
        await record(connection, { scope, name, kind, change: 'deleted', act });
        return true;
      }),
  };
}

function transactionOf(connection: Transaction, scope: SecretScope, owner: Owner): SecretTransaction {
  return {
    locationOf: (name) => locationOf({ ...owner, name }),
    async facts(name) {
      const found = await connection.one(rows<{ kind: SecretKind | null; count: number }>()`
        SELECT max(kind) FILTER (WHERE name = ${name}) AS kind, count(*) AS count
        FROM stored_secrets WHERE ${belongsTo(owner)}`);
      return withoutNulls(found);
    },
    async save(name, value, act) {
      const kind = typeof value === 'string' ? 'plain' : 'secret';
      const [plain, sealed] = typeof value === 'string' ? [value, undefined] : [null, value];
      const change = (await hasSecret(connection, owner, name)) ? 'updated' : 'created';
      await connection.query(rows()`
        INSERT INTO stored_secrets
          (team_id, pipeline_id, name, kind, plain_value, ciphertext, wrapped_key, key_id, updated_at, updated_by)
        VALUES (${owner.team}, ${owner.pipeline}, ${name}, ${kind}, ${plain}, ${byteaOrNull(sealed?.ciphertext)},
          ${byteaOrNull(sealed?.wrappedKey)}, ${sealed?.keyId ?? null}, ${timestamp(act.at)}, ${act.by})
        ON CONFLICT (team_id, pipeline_id, name) DO UPDATE SET plain_value = excluded.plain_value,
          ciphertext = excluded.ciphertext, wrapped_key = excluded.wrapped_key, key_id = excluded.key_id,
          updated_at = excluded.updated_at, updated_by = excluded.updated_by`);
      await record(connection, { scope, name, kind, change, act });
    },
  };
}

/**
 * The text to which the encryption of a value is bound, so that a value that is moved to another row does not
 * open.
 */
function locationOf({ team, pipeline, name }: Owner & { name: string }): string {
  return `${team}/${pipeline ?? ''}/${name}`;
}

async function hasSecret(connection: Transaction, owner: Owner, name: string): Promise<boolean> {
  return await connection.exists(rows()`
    SELECT 1 FROM stored_secrets WHERE ${belongsTo(owner)} AND name = ${name}`);
}

/** SQL condition: the value belongs to this pipeline, or without a pipeline to the team. */
function belongsTo({ team, pipeline }: Owner) {
  return sql.fragment`team_id = ${team} AND pipeline_id IS NOT DISTINCT FROM ${pipeline}::bigint`;
}

async function findOwner(
  connection: Pick<Transaction, 'maybeOne'>,
  { team, pipeline }: SecretScope,
  lock = sql.fragment``,
): Promise<Owner | undefined> {
  const found = await connection.maybeOne(rows<Owner>()`
    SELECT t.id AS team, p.id AS pipeline FROM teams t
    LEFT JOIN pipelines p ON p.team_id = t.id AND p.name = ${pipeline ?? null} AND p.deleted_at IS NULL
    WHERE t.name = ${team} AND t.deleted_at IS NULL ${lock}`);
  return found === null || (pipeline !== undefined && found.pipeline === null) ? undefined : found;
}

/** Writes the audit entry of a change. It names the value, but does not show it, not even a plain one. */
async function record(
  connection: Transaction,
  entry: {
    scope: SecretScope;
    name: string;
    kind: SecretKind;
    change: 'created' | 'updated' | 'deleted';
    act: AuditedAct;
  },
): Promise<void> {
  const { scope, name, kind, change, act } = entry;
  const { team, pipeline } = scope;
  const type = kind === 'secret' ? 'secret' : 'config';
  const target = pipeline === undefined ? name : `${pipeline}/${name}`;
  await audit(connection, {
    team,
    actor: act.by,
    at: act.at,
    action: `${type}.${change}`,
    targetType: type,
    target,
  });
}

interface ValueRow extends Owner {
  name: string;
  plain: string | null;
  ciphertext: Buffer | null;
  wrappedKey: Buffer | null;
  keyId: string | null;
}

/**
 * Returns the values of these names for a pipeline. A value of the pipeline replaces its team's value of the
 * same name.
 */
export async function storedValues(
  pool: DatabasePool,
  pipelineId: number,
  names: readonly string[],
): Promise<StoredValue[]> {
  const found = await pool.any(rows<ValueRow>()`
    SELECT DISTINCT ON (s.name) s.name, s.team_id AS team, s.pipeline_id AS pipeline, s.plain_value AS plain,
      s.ciphertext, s.wrapped_key AS "wrappedKey", s.key_id AS "keyId"
    FROM pipelines p JOIN stored_secrets s ON s.team_id = p.team_id
      AND (s.pipeline_id IS NULL OR s.pipeline_id = p.id)
    WHERE p.id = ${pipelineId} AND s.name = ANY(${sql.array([...names], 'text')})
    ORDER BY s.name, s.pipeline_id NULLS LAST`);
  return found.flatMap(({ plain, ciphertext, wrappedKey, keyId, ...row }): StoredValue[] => {
    const identity = { name: row.name, location: locationOf(row) };
    if (plain !== null) return [{ ...identity, plain }];
    if (ciphertext === null || wrappedKey === null || keyId === null) return [];
    return [{ ...identity, sealed: { ciphertext, wrappedKey, keyId } }];
  });
}
