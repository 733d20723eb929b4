import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '#tools/checkout.ts';
import { bundleCommandLine } from '#tools/dist/bundle.ts';
import { outputFolder } from '#tools/dist/inputs.ts';

/** Packages that only the parts of an installation use. The command line must not contain them. */
const UNWANTED = ['slonik', '@kubernetes/client-node', 'fastify', 'pg', 'pino', '@node-rs/argon2'];

/** Programs that the command line starts, their data, and the licences of what they contain. */
const FROM_DIST = [
  'hcl-host.js',
  'hcl-worker.js',
  'hcl.wasm',
  'images-worker.js',
  'DejaVuSans.ttf',
  'THIRD-PARTY-NOTICES',
];

/** Process 1 of step containers, for `millrace run` on Linux. */
export const SHIMS = ['shim-amd64', 'shim-arm64'];

/** Collects everything that the command line needs besides Node and native packages; returns the folder. */
export async function collectProgram(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await bundleCommandLine(folder, UNWANTED);
  for (const name of [...FROM_DIST, ...SHIMS]) await cp(join(outputFolder, name), join(folder, name));
  await cp(join(checkout, 'LICENSE'), join(folder, 'LICENSE'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
  return folder;
}
