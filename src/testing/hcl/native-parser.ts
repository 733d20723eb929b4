import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { env, pid } from 'node:process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { cachedEngine, engineFolder } from '#adapters/hcl/locate.ts';

/**
 * The native program in engine/reference: hashicorp/hcl without WebAssembly and without our encoding. Tests
 * compare the engine with it.
 */
export interface NativeParser {
  /** The parsed and evaluated text as JSON, as engine/reference/main.go writes it. */
  describe(source: Uint8Array): Promise<string>;
  stop(): void;
}

async function buildReference(): Promise<string> {
  const target = join(dirname(cachedEngine()), 'reference');
  if (existsSync(target)) return target;
  await mkdir(dirname(target), { recursive: true });
  const unfinished = `${target}.${pid}`;
  await promisify(execFile)('go', ['build', '-o', unfinished, './reference'], {
    cwd: engineFolder,
    env: { ...env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly' },
  });
  await rename(unfinished, target);
  return target;
}

export async function startNativeParser(): Promise<NativeParser> {
  const child = spawn(await buildReference(), [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.resolve(line));
  child.on('exit', () => {
    for (const { reject } of waiting.splice(0)) reject(new Error('the reference ended'));
  });
  return {
    describe(source) {
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin.write(`${Buffer.from(source).toString('base64')}\n`);
      });
    },
    stop: () => void child.stdin.end(),
  };
}
