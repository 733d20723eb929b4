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
 * Renames rows of jobs and resources, so that their history continues under the new names. Leaves rows alone
 * that have their new name already, because `old_name` may stay in the HCL text. The caller must hold the
 * pipeline's lock.
 */
export async function applyRenames(connection: Transaction, saving: Saving): Promise<NewNames> {
  const { jobs, resources } = saving.definition;
  return {
    jobs: await renameRows(connection, JOBS, { ...saving, blocks: jobs }),
    resources: await renameRows(connection, RESOURCES, { ...saving, blocks: resources }),
  };
}

interface Tables {
  main: FragmentSqlToken;
  /** The table of all names that a row of the main table has had. */
  names: FragmentSqlToken;
  /** The column of the table of names that refers to the main table. */
  key: FragmentSqlToken;
}

const JOBS: Tables = { main: sql.fragment`jobs`, names: sql.fragment`job_names`, key: sql.fragment`job_id` };

const RESOURCES: Tables = {
  main: sql.fragment`resources`,
  names: sql.fragment`resource_names`,
  key: sql.fragment`resource_id`,
};

interface RowToRename {
  id: number;
  old: string;
  name: string;
  /** Id of a removed row that has the new name. */
  removed: number | null;
}

/** Returns the new names by old name. */
async function renameRows(
  connection: Transaction,
  tables: Tables,
  {
    pipeline,
    revision,
    blocks,
  }: Omit<Saving, 'definition'> & { blocks: { name: string; oldName?: string }[] },
): Promise<Map<string, string>> {
  const renames = blocks.flatMap(({ name, oldName: old }) => (old === undefined ? [] : [{ name, old }]));
  if (renames.length === 0) return new Map();
  const toRename = await connection.any(rows<RowToRename>()`
    SELECT o.id, n.old, n.name, t.id AS removed
    FROM jsonb_to_recordset(${sql.jsonb(renames)}) AS n (name text, old text)
    JOIN ${tables.main} o ON o.pipeline_id = ${pipeline} AND o.name = n.old
    LEFT JOIN ${tables.main} t ON t.pipeline_id = ${pipeline} AND t.name = n.name
    WHERE t.id IS NULL OR (t.deleted_at IS NOT NULL AND o.deleted_at IS NULL)`);
  // A removed row that has the new name gets a name with `~`, which the name of a block cannot contain.
  for (const { removed, name } of toRename)
    if (removed !== null)
      await rename(connection, tables, { id: removed, old: name, name: `${name}~${removed}`, revision });
  for (const { id, old, name } of toRename) await rename(connection, tables, { id, old, name, revision });
  return new Map(toRename.map(({ old, name }) => [old, name]));
}

async function rename(
  connection: Transaction,
  { main, names, key }: Tables,
  { id, old, name, revision }: { id: number; old: string; name: string; revision: number },
): Promise<void> {
  await connection.query(rows()`UPDATE ${main} SET name = ${name} WHERE id = ${id}`);
  await connection.query(rows()`
    INSERT INTO ${names} (${key}, revision, name) SELECT ${id}::bigint, 0, ${old}::text
    WHERE NOT EXISTS (SELECT 1 FROM ${names} WHERE ${key} = ${id})`);
  await connection.query(rows()`
    INSERT INTO ${names} (${key}, revision, name) VALUES (${id}, ${revision}, ${name})
    ON CONFLICT (${key}, revision) DO UPDATE SET name = excluded.name`);
}
