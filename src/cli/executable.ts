import { lstatSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { argv, env, getuid } from 'node:process';
import { getAsset, getAssetKeys, getRawAsset } from 'node:sea';
import { ensureUnpacked, removeLeftovers } from './unpacked-program.ts';

/*
 * The start of the single executable that `make cli` builds. It unpacks its program once, because child
 * processes and native libraries need files. Each version of the content has its own folder in the user's
 * cache.
 */

/** Programs that the command line starts as processes of their own. */
const CHILD_PROGRAMS = ['hcl-host.js', 'images-worker.js'];

/** The asset that contains the hash of all other assets. */
const DIGEST = 'digest';

function start(): void {
  const child = childProgram();
  if (child === undefined) {
    load(join(unpackedProgram(), 'millrace.js'));
    return;
  }
  // A child expects its arguments after its own name.
  argv.splice(1, 1);
  load(child);
}

/** The child program that the parent process asks for. The parent passes its path and opens a channel. */
function childProgram(): string | undefined {
  const [, , program = ''] = argv;
  const isChild = process.send !== undefined && isAbsolute(program);
  return isChild && CHILD_PROGRAMS.includes(basename(program)) ? program : undefined;
}

/**
 * Runs an unpacked module through its CommonJS starter, because `import()` inside the executable finds only
 * modules of Node.
 */
function load(file: string): void {
  createRequire(file)(`./start-${basename(file, '.js')}.cjs`);
}

function unpackedProgram(): string {
  const folder = join(cache(), 'program', getAsset(DIGEST, 'utf8'));
  try {
    const hasUnpacked = ensureUnpacked(folder, { names: programFiles(), read: readFile });
    refuseForeign(folder);
    if (hasUnpacked) removeLeftovers(folder);
  } catch (error) {
    const reason = Error.isError(error) ? error.message : String(error);
    process.stderr.write(
      `millrace: the program cannot be unpacked into ${folder}: ${reason}. ` +
        'Set MILLRACE_CACHE to a folder that only you can write to.\n',
    );
    process.exit(2);
  }
  return folder;
}

const programFiles = (): string[] => getAssetKeys().filter((name) => name !== DIGEST);
const readFile = (name: string): Uint8Array => new Uint8Array(getRawAsset(name));

function cache(): string {
  const fromEnvironment = env['MILLRACE_CACHE'];
  if (fromEnvironment !== undefined && isAbsolute(fromEnvironment)) return fromEnvironment;
  const base = env['XDG_CACHE_HOME'];
  return join(base !== undefined && isAbsolute(base) ? base : join(homedir(), '.cache'), 'millrace');
}

/** Throws if another user of the machine could have written the code in this folder. */
function refuseForeign(folder: string): void {
  for (const path of [folder, dirname(folder)]) {
    const { uid, mode } = lstatSync(path);
    if (uid !== getuid?.() || (mode & 0o022) !== 0) throw new Error(`other users can write to ${path}`);
  }
}

start();
