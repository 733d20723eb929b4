import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { argv, env, pid } from 'node:process';
import { promisify } from 'node:util';
import { cachedEngine, engineFolder } from './locate.ts';

/*
 * Builds the engine into the cache, once per content. If you name a file, the script also copies the engine
 * there:
 *
 *   node src/adapters/hcl/build.ts [dist/hcl.wasm]
 *
 * The command that it runs in src/adapters/hcl/engine:
 *
 *   GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -trimpath -ldflags "-s -w" -o hcl.wasm .
 */
export async function buildEngine(): Promise<string> {
  const target = cachedEngine();
  if (existsSync(target)) return target;
  await mkdir(dirname(target), { recursive: true });
  const unfinished = `${target}.${pid}`;
  const flags = ['-buildmode=c-shared', '-trimpath', '-ldflags', '-s -w'];
  try {
    await promisify(execFile)('go', ['build', ...flags, '-o', unfinished, '.'], {
      cwd: engineFolder,
      env: { ...env, GOOS: 'wasip1', GOARCH: 'wasm', GOWORK: 'off', GOFLAGS: '-mod=readonly' },
    });
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { force: true });
  }
  return target;
}

if (import.meta.main) {
  const engine = await buildEngine();
  const destination = argv[2];
  if (destination !== undefined) {
    await mkdir(dirname(destination), { recursive: true });
    await copyFile(engine, destination);
  }
}
