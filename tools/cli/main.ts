import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { outputFolder } from '#tools/dist/inputs.ts';
import { writeChecksums } from './checksums.ts';
import { buildExecutable, isTarget, readTargets } from './executables.ts';
import { buildNpmPackage } from './npm-package.ts';
import { collectProgram } from './program-files.ts';

const usage = `Usage: node tools/cli/main.ts [--target linux-amd64,linux-arm64,darwin-amd64,darwin-arm64]

Builds the command line for machines without the checkout, from dist/ (make dist), into dist/cli:
single executables millrace-<system>-<architecture>, the npm package millrace-<version>.tgz, and SHA256SUMS.
Node.js for each target comes from npm; config/executables.json lists the packages and their digests.`;

const { values } = parseArgs({
  options: { target: { type: 'string' }, help: { type: 'boolean', default: false } },
});

try {
  if (values.help) console.log(usage);
  else await main();
} catch (error) {
  console.error(Error.isError(error) ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const targets = readTargets();
  const names = values.target?.split(',') ?? Object.keys(targets.packages);
  const unknown = names.find((text) => !isTarget(text));
  if (unknown !== undefined)
    throw new Error(`--target ${unknown} does not exist. Use ${Object.keys(targets.packages).join(', ')}.`);
  const folder = join(outputFolder, 'cli');
  await rm(folder, { recursive: true, force: true });
  const program = await collectProgram(join(folder, 'program'));
  const files = [await buildNpmPackage(program, folder)];
  for (const target of names.filter(isTarget))
    files.push(await buildExecutable(targets, target, { program, folder }));
  await writeChecksums(folder, files);
  await rm(program, { recursive: true });
  for (const file of files) console.log(relative(process.cwd(), file));
}
