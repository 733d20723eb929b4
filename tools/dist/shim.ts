import { execFile } from 'node:child_process';
import { access, copyFile, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheRoot } from '#tools/cache-root.ts';
import { outputFolder } from './inputs.ts';

const run = promisify(execFile);

/** Builds process 1 of step containers for one architecture: static, cached by content and Go version. */
export async function buildShim(folder: string, architecture: string, hash: string): Promise<string> {
  const cached = join(cacheRoot(), 'shim', hash.slice(0, 32), `shim-${architecture}`);
  if (!(await exists(cached))) {
    await mkdir(join(cached, '..'), { recursive: true });
    const partial = `${cached}.${process.pid}`;
    const flags = ['-trimpath', '-ldflags', `-s -w -X main.version=${hash.slice(0, 12)}`];
    await run('go', ['build', ...flags, '-o', partial, '.'], {
      cwd: folder,
      env: {
        ...process.env,
        GOOS: 'linux',
        GOARCH: architecture,
        CGO_ENABLED: '0',
        GOWORK: 'off',
        GOFLAGS: '-mod=readonly -buildvcs=false',
      },
    });
    await rename(partial, cached);
  }
  const file = `shim-${architecture}`;
  await mkdir(outputFolder, { recursive: true });
  await copyFile(cached, join(outputFolder, `${file}.partial`));
  await rename(join(outputFolder, `${file}.partial`), join(outputFolder, file));
  return file;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
