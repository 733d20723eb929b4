import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explain } from '#cli/explain.ts';
import { CommandError, type Terminal } from '#cli/terminal.ts';

/** The directories of one run. Only the user can read `root`. */
export interface RunFolders {
  root: string;
  /** `$WORKDIR` of every step, at the same path in containers. */
  work: string;
  /** `$HOME` of steps on this machine. */
  home: string;
  temporary: string;
}

export async function makeFolders(): Promise<RunFolders> {
  const root = await mkdtemp(join(await realpath(tmpdir()), 'millrace-run-'));
  const [work, home, temporary] = ['work', 'home', 'tmp'].map((name) => join(root, name));
  const folders = { root, work: work ?? root, home: home ?? root, temporary: temporary ?? root };
  for (const folder of [folders.work, folders.home, folders.temporary]) await mkdir(folder);
  // Processes of an image may run as another user, so any user may write to the work directory.
  await chmod(folders.work, 0o777);
  return folders;
}

/** Throws for a local directory that contains the directories of the run: its copy would be inside itself. */
export function refuseEnclosingFolders({ root }: RunFolders, folders: ReadonlyMap<string, string>): void {
  for (const [resource, folder] of folders) {
    if (!`${root}/`.startsWith(folder === '/' ? '/' : `${folder}/`)) continue;
    throw new CommandError(
      `--resource ${resource}: ${folder} contains ${root}, where its copy would be; set TMPDIR to a directory outside`,
    );
  }
}

export async function removeFolders({ root }: RunFolders, terminal: Terminal): Promise<void> {
  try {
    await rm(root, { recursive: true, force: true });
  } catch (error) {
    terminal.err(`millrace: ${root} cannot be removed: ${explain(error)}. A container owns files in it.\n`);
  }
}
