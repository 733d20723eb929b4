import { randomUUID } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/* The folder that a single executable unpacks its program into, beside those of other releases. */

export interface ProgramAssets {
  /** Paths below the folder. */
  names: readonly string[];
  read: (name: string) => Uint8Array;
}

const DAY_MS = 86_400_000;

/** After this time, a process that has not finished unpacking must have been killed. */
const UNFINISHED_MS = DAY_MS;
/** Other releases that were not started for this long are removed. */
const UNUSED_MS = 30 * DAY_MS;

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
/** Matches the name of a folder into which a process still unpacks. */
const UNFINISHED = new RegExp(`^[\\da-f]{32}\\.${UUID}$`);
/** Matches the name of the folder of a release, a digest from tools/cli/executables.ts. */
const RELEASE = /^[\da-f]{32}$/;

/**
 * Unpacks the program if the folder or one of its files is missing. Otherwise notes that this release is in
 * use. Returns whether it unpacked.
 */
export function ensureUnpacked(folder: string, assets: ProgramAssets, now = Date.now()): boolean {
  if (missingIn(folder, assets).length > 0) {
    unpack(folder, assets);
    return true;
  }
  noteUse(folder, now);
  return false;
}

/** The missing files. Programs that clean caches delete single files that were not read for a while. */
const missingIn = (folder: string, { names }: ProgramAssets): string[] =>
  names.filter((name) => !existsSync(join(folder, name)));

/** Another process may unpack at the same time, so the folder, or each missing file, appears in one step. */
function unpack(folder: string, assets: ProgramAssets): void {
  const unfinished = `${folder}.${randomUUID()}`;
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  try {
    for (const name of assets.names) {
      const file = join(unfinished, name);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, assets.read(name), { mode: name.startsWith('shim-') ? 0o755 : 0o644 });
    }
    if (existsSync(folder)) repair(folder, unfinished, assets);
    else renameSync(unfinished, folder);
  } catch (error) {
    if (missingIn(folder, assets).length > 0) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Other processes may run from the folder, so it stays, and only what is missing is moved into it. */
function repair(folder: string, unpacked: string, assets: ProgramAssets): void {
  for (const name of missingIn(folder, assets)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
    renameSync(join(unpacked, name), join(folder, name));
  }
}

/** The time of the folder says when this release was last started, to the day. */
function noteUse(folder: string, now: number): void {
  quietly(() => {
    if (now - lstatSync(folder).mtimeMs > DAY_MS) utimesSync(folder, now / 1000, now / 1000);
  });
}

/**
 * Removes what killed processes left, and releases that nobody starts any more. Call it only if no other user
 * can write beside the folder.
 */
export function removeLeftovers(folder: string, now = Date.now()): void {
  const programs = dirname(folder);
  quietly(() => {
    for (const name of readdirSync(programs)) {
      const limitMs = ageLimitOf(name);
      const path = join(programs, name);
      if (path === folder || limitMs === undefined) continue;
      quietly(() => {
        if (now - lstatSync(path).mtimeMs > limitMs) rmSync(path, { recursive: true, force: true });
      });
    }
  });
}

/** How old a folder of this name may become; undefined: it is not ours. */
function ageLimitOf(name: string): number | undefined {
  if (UNFINISHED.test(name)) return UNFINISHED_MS;
  return RELEASE.test(name) ? UNUSED_MS : undefined;
}

/** Runs an action that the program does not depend on, and ignores its failure. */
function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // A later start tries again.
  }
}
