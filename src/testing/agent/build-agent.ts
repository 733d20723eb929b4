import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, promises } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/*
 * Builds the agent's bundle and the shim for tests, in the cache. Each call builds the bundle. The shim is
 * built only if its sources have changed. `tools/dist` builds those in `dist/`.
 */

export type Architecture = 'amd64' | 'arm64';

const { mkdir, readdir, readFile, rename, rm } = promises;
const run = promisify(execFile);
export const checkoutRoot = join(import.meta.dirname, '..', '..', '..');
const agentFolder = join(checkoutRoot, 'src', 'agent');

/** Path of the shim for this architecture, in the cache. */
export async function buildTestShim(architecture: Architecture = ownArchitecture()): Promise<string> {
  const sources = join(agentFolder, 'shim');
  const names = (await readdir(sources)).filter((name) => !name.endsWith('_test.go')).toSorted();
  const hash = createHash('sha256').update(architecture);
  for (const name of names) hash.update(`\n${name}\n`).update(await readFile(join(sources, name)));
  const digest = hash.digest('hex').slice(0, 16);
  return buildOnce(`shim-${architecture}-${digest}`, async (unfinished) => {
    const flags = ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w -buildid= -X main.version=${digest}`];
    await run('go', ['build', ...flags, '-o', unfinished, '.'], {
      cwd: sources,
      env: {
        ...process.env,
        CGO_ENABLED: '0',
        GOOS: 'linux',
        GOARCH: architecture,
        GOWORK: 'off',
        GOFLAGS: '',
      },
    });
  });
}

/** Path of the agent's bundle, in the cache. CommonJS, because that starts faster. */
export async function bundleAgent(): Promise<string> {
  await mkdir(cacheFolder(), { recursive: true });
  const out = join(cacheFolder(), `agent-${process.pid}-${Date.now()}.js`);
  const options = ['--bundle', '--platform=node', '--target=node24', '--format=cjs', '--minify-syntax'];
  await run('esbuild', [join(agentFolder, 'main.ts'), ...options, `--outfile=${out}`], {
    cwd: checkoutRoot,
    env: {
      ...process.env,
      PATH: `${join(checkoutRoot, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`,
    },
  });
  const digest = createHash('sha256')
    .update(await readFile(out))
    .digest('hex');
  const target = join(cacheFolder(), `agent-${digest.slice(0, 16)}.js`);
  await rename(out, target);
  return target;
}

async function buildOnce(name: string, build: (unfinished: string) => Promise<void>): Promise<string> {
  const target = join(cacheFolder(), name);
  if (existsSync(target)) return target;
  await mkdir(dirname(target), { recursive: true });
  const unfinished = `${target}.${process.pid}`;
  try {
    await build(unfinished);
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { force: true });
  }
  return target;
}

function cacheFolder(): string {
  const { MILLRACE_CACHE: millraceCache, XDG_CACHE_HOME: userCache } = process.env;
  return join(millraceCache ?? join(userCache ?? join(homedir(), '.cache'), 'millrace'), 'agent');
}

function ownArchitecture(): Architecture {
  return process.arch === 'arm64' ? 'arm64' : 'amd64';
}
