import { execFile } from 'node:child_process';
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { checkout } from '#tools/checkout.ts';
import { lockedPackages, picturePackages } from '#tools/dist/native.ts';

const run = promisify(execFile);

const Manifest = Type.Object({
  name: Type.String(),
  version: Type.String(),
  description: Type.String(),
  license: Type.String(),
  engines: Type.Object({ node: Type.String() }),
});

/** npm installs the packages of the user's own platform only. */
const PICTURE_PACKAGES = (['linux', 'darwin'] as const).flatMap((system) =>
  (['amd64', 'arm64'] as const).flatMap((architecture) => picturePackages(system, architecture)),
);

const README = `# millrace

The command line of Millrace, which runs CI pipelines written in HCL on Kubernetes.

    npm install --global millrace-<version>.tgz
    millrace validate pipeline.hcl
    millrace login https://ci.example.org
    millrace --help
`;

/** Packs the program for npm; returns the archive. */
export async function buildNpmPackage(program: string, folder: string): Promise<string> {
  const text = await readFile(join(checkout, 'package.json'), 'utf8');
  const { name, version, description, license, engines } = Value.Parse(Manifest, JSON.parse(text));
  const packages = await lockedPackages(PICTURE_PACKAGES);
  const manifest = {
    name,
    version,
    description: `${description}: the command line`,
    license,
    type: 'module',
    engines,
    // npm installs kubectl-millrace too, so `kubectl millrace` works.
    bin: { millrace: 'millrace.js', 'kubectl-millrace': 'millrace.js' },
    optionalDependencies: Object.fromEntries(packages.map(([packageName, exact]) => [packageName, exact])),
  };
  const staging = await mkdtemp(join(tmpdir(), 'millrace-npm-'));
  try {
    await cp(program, staging, { recursive: true });
    await chmod(join(staging, 'millrace.js'), 0o755);
    await writeFile(join(staging, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
    await writeFile(join(staging, 'README.md'), README);
    await run('npm', ['pack', '--loglevel=error', '--ignore-scripts', '--pack-destination', folder], {
      cwd: staging,
    });
  } finally {
    await rm(staging, { recursive: true });
  }
  return join(folder, `${name}-${version}.tgz`);
}
