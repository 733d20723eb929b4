import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from '@jest/globals';

import { checkout, output } from './inputs.ts';

const run = promisify(execFile);

async function build(): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  return (await run(process.execPath, [join(import.meta.dirname, 'main.ts')], { env })).stdout;
}

test('what did not change is not built again', async () => {
  await build();
  const before = statSync(join(output, 'millrace.js')).mtimeMs;
  const lines = (await build()).trimEnd().split('\n');
  expect(lines.filter((line) => !line.startsWith('unchanged: '))).toEqual([]);
  expect(lines).toHaveLength(7);
  expect(statSync(join(output, 'millrace.js')).mtimeMs).toBe(before);
}, 300_000);

test('the bundle is the program: it tells its version from the sources', async () => {
  const [bundle, sources] = await Promise.all(
    ['dist/millrace.js', 'src/main.ts'].map((file) =>
      run(process.execPath, [join(checkout, file), '--version']),
    ),
  );
  expect(bundle?.stdout).toBe(sources?.stdout);
});

test('the agent starts by itself and says what its environment lacks', async () => {
  const options = { env: { PATH: process.env['PATH'] } };
  await expect(run(process.execPath, [join(output, 'agent.cjs')], options)).rejects.toThrow(
    'MILLRACE_GATEWAY',
  );
});

test.each(['shim-amd64', 'shim-arm64'])('%s is a static program', (name) => {
  const elf = readFileSync(join(output, name));
  const headers = elf.readBigUInt64LE(32);
  const kinds = Array.from({ length: elf.readUInt16LE(56) }, (_, at) =>
    elf.readUInt32LE(Number(headers) + at * elf.readUInt16LE(54)),
  );
  const interpreter = 3;
  expect(kinds).not.toContain(interpreter);
  expect(elf.length).toBeLessThan(3_000_000);
});

test('the notices hold the licence of what is inside', () => {
  const text = readFileSync(join(output, 'THIRD-PARTY-NOTICES'), 'utf8');
  for (const name of ['fastify ', 'slonik ', 'github.com/hashicorp/hcl/v2 ', 'The Go standard library']) {
    expect(text).toContain(`\n${name}`);
  }
});
