import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CommandError } from '#cli/terminal.ts';
import type { Environment } from './engine.ts';

const HERE = process.arch === 'x64' ? 'amd64' : process.arch;

/** The shim for an architecture: the named one, the one beside the program, or that of the image of Millrace. */
export function findShim(environment: Environment, architecture: string = HERE): string {
  const named = environment['MILLRACE_SHIM_BINARY'];
  if (named !== undefined && architecture === HERE) return named;
  const name = `shim-${architecture}`;
  const places = [`./${name}`, `../../../dist/${name}`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  if (architecture === HERE) places.push('/usr/local/bin/millrace-shim');
  const found = places.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new CommandError(
    `there is no shim for ${architecture}: run make install in the checkout of Millrace`,
  );
}
