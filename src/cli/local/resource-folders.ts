import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { explain } from '#cli/explain.ts';
import { CommandError } from '#cli/terminal.ts';
import { didYouMean } from '#domain/language/suggest.ts';
import type { Job } from '#domain/pipeline/pipeline.ts';
import { getsOf } from '#domain/pipeline/steps.ts';

const run = promisify(execFile);

/** The directories of `--resource`, by resource. */
export async function readFolders(
  assignments: readonly string[],
  job: Job,
): Promise<ReadonlyMap<string, string>> {
  const resourcesOfJob = [...new Set(getsOf(job.steps).map(({ resource }) => resource))];
  const folders = new Map<string, string>();
  for (const assignment of assignments) {
    const at = assignment.indexOf('=');
    const name = assignment.slice(0, at);
    const path = assignment.slice(at + 1);
    if (at < 1 || path === '')
      throw new CommandError(`--resource ${assignment}: write it as --resource <type>.<name>=<path>`);
    if (!resourcesOfJob.includes(name))
      throw new CommandError(
        `--resource ${name}: the job ${job.name} does not get it${didYouMean(name, resourcesOfJob)}`,
      );
    if (folders.has(name)) throw new CommandError(`--resource ${name} is given twice`);
    folders.set(name, await directoryAt(name, path));
  }
  return folders;
}

async function directoryAt(name: string, path: string): Promise<string> {
  try {
    if ((await stat(path)).isDirectory()) return await realpath(path);
  } catch (error) {
    throw new CommandError(`--resource ${name}: ${path} cannot be read: ${explain(error)}`);
  }
  throw new CommandError(`--resource ${name}: ${path} is not a directory`);
}

/**
 * A version for a directory: `field` is the commit of a checkout, otherwise a hash of names, sizes and times.
 */
export async function versionOfFolder(folder: string, field: string): Promise<Record<string, string>> {
  return { [field]: (await commitOf(folder)) ?? (await hashOf(folder)), path: folder };
}

async function commitOf(folder: string): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', ['-C', folder, 'rev-parse', '--verify', 'HEAD']);
    return stdout.trim();
  } catch {
    return undefined;
  }
}

async function hashOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const hash = createHash('sha256');
  for (const file of files.toSorted()) {
    const { size, mtimeMs } = await stat(file);
    hash.update(`${file.slice(folder.length)}\0${size}\0${mtimeMs}\0`);
  }
  return hash.digest('hex').slice(0, 40);
}
