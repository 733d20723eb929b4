import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CommandError } from '#cli/terminal.ts';
import type { Environment } from './engine.ts';

const HOST_ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch;

/**
 * The shim for an architecture: the one that MILLRACE_SHIM_BINARY names, the one beside the program, or the
 * one in the image of Millrace. The first and the last are only for the architecture of this machine.
 */
export function findShim(environment: Environment, architecture: string = HOST_ARCHITECTURE): string {
  const named = environment['MILLRACE_SHIM_BINARY'];
  if (named !== undefined && architecture === HOST_ARCHITECTURE) return named;
  const name = `shim-${architecture}`;
  const candidates = [`./${name}`, `../../../dist/${name}`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  if (architecture === HOST_ARCHITECTURE) candidates.push('/usr/local/bin/millrace-shim');
  const file = candidates.find((path) => existsSync(path));
  if (file !== undefined) return file;
  throw new CommandError(
    `there is no shim for ${architecture}: run make install in the checkout of Millrace`,
  );
}
