import { sql, type FragmentSqlToken } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { NewNames } from '#domain/scheduling/definition-difference.ts';

interface Saving {
  pipeline: number;
  /** Number of the new revision. */
  revision: number;
  definition: Pipeline;
}

/**
 * Renames rows of jobs and resources, so that their history continues under the new names. Rows that already
 * have their new name stay unchanged: `old_name` may remain in the file. The caller holds the pipeline's
 * lock.
 */
export async function applyRenames(connection: Transaction, saving: Saving): Promise<NewNames> {
  const { jobs, resources } = saving.definition;
  return {
    jobs: await carry(connection, JOBS, { ...saving, named: jobs }),
    resources: await carry(connection, RESOURCES, { ...saving, named: resources }),
  };
}

interface Table {
  things: FragmentSqlToken;
  names: FragmentSqlToken;
  id: FragmentSqlToken;
}

const JOBS: Table = { things: sql.fragment`jobs`, names: sql.fragment`job_names`, id: sql.fragment`job_id` };

const RESOURCES: Table = {
  things: sql.fragment`resources`,
  names: sql.fragment`resource_names`,
  id: sql.fragment`resource_id`,
};

interface Found {
  id: number;
  old: string;
  name: string;
  /** A removed row that has the new name. */
  other: number | null;
}

async function carry(
  connection: Transaction,
  table: Table,
  { pipeline, revision, named }: Omit<Saving, 'definition'> & { named: { name: string; oldName?: string }[] },
): Promise<Map<string, string>> {
  const wanted = named.flatMap(({ name, oldName: old }) => (old === undefined ? [] : [{ name, old }]));
  if (wanted.length === 0) return new Map();
  const found = await connection.any(rows<Found>()`
    SELECT o.id, n.old, n.name, t.id AS other
    FROM jsonb_to_recordset(${sql.jsonb(wanted)}) AS n (name text, old text)
    JOIN ${table.things} o ON o.pipeline_id = ${pipeline} AND o.name = n.old
    LEFT JOIN ${table.things} t ON t.pipeline_id = ${pipeline} AND t.name = n.name
    WHERE t.id IS NULL OR (t.deleted_at IS NOT NULL AND o.deleted_at IS NULL)`);
  // No block can have a name with `~`.
  for (const { other, name } of found)
    if (other !== null)
      await rename(connection, table, { id: other, old: name, name: `${name}~${other}`, revision });
  for (const { id, old, name } of found) await rename(connection, table, { id, old, name, revision });
  return new Map(found.map(({ old, name }) => [old, name]));
}

async function rename(
  connection: Transaction,
  { things, names, id: key }: Table,
  { id, old, name, revision }: { id: number; old: string; name: string; revision: number },
): Promise<void> {
  await connection.query(rows()`UPDATE ${things} SET name = ${name} WHERE id = ${id}`);
  await connection.query(rows()`
    INSERT INTO ${names} (${key}, revision, name) SELECT ${id}::bigint, 0, ${old}::text
    WHERE NOT EXISTS (SELECT 1 FROM ${names} WHERE ${key} = ${id})`);
  await connection.query(rows()`
    INSERT INTO ${names} (${key}, revision, name) VALUES (${id}, ${revision}, ${name})
    ON CONFLICT (${key}, revision) DO UPDATE SET name = excluded.name`);
}
