import { execFile, spawn } from 'node:child_process';
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import sharp from 'sharp';
import { checkout } from '#tools/checkout.ts';
import { outputFolder } from './inputs.ts';

const run = promisify(execFile);

/** Offsets in the header of a 64-bit ELF file, and one type of its segments: see elf(5). */
const E_MACHINE = 18;
const E_PHOFF = 32;
const E_PHENTSIZE = 54;
const E_PHNUM = 56;
const PT_INTERP = 3;

async function build(): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  return (await run(process.execPath, [join(import.meta.dirname, 'main.ts')], { env })).stdout;
}

test('unchanged programs are not built again', async () => {
  const parts = (await build()).trimEnd().split('\n');
  const before = statSync(join(outputFolder, 'millrace.js')).mtimeMs;
  const lines = (await build()).trimEnd().split('\n');
  expect(lines.filter((line) => !line.startsWith('unchanged: '))).toEqual([]);
  expect(parts.length).toBeGreaterThan(10);
  expect(lines).toHaveLength(parts.length);
  expect(statSync(join(outputFolder, 'millrace.js')).mtimeMs).toBe(before);
}, 600_000);

test('the bundle starts and prints the version of the sources', async () => {
  const [bundle, sources] = await Promise.all(
    ['dist/millrace.js', 'src/main.ts'].map((file) =>
      run(process.execPath, [join(checkout, file), '--version']),
    ),
  );
  expect(bundle?.stdout).toBe(sources?.stdout);
});

test('the agent starts alone and reports what its environment lacks', async () => {
  const options = { env: { PATH: process.env['PATH'] } };
  await expect(run(process.execPath, [join(outputFolder, 'agent.cjs')], options)).rejects.toThrow(
    'MILLRACE_GATEWAY',
  );
});

/** Runs `use` in a folder with only the program and the files beside it. */
async function inFolderWithProgram(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dist-'));
  try {
    for (const name of readdirSync(outputFolder).filter((file) => /\.(js|wasm|ttf)$/.test(file))) {
      await cp(join(outputFolder, name), join(folder, name));
    }
    const native = process.arch === 'arm64' ? 'native-arm64' : 'native-amd64';
    await cp(join(outputFolder, native), join(folder, 'node_modules'), { recursive: true });
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the program draws images with nothing but the files beside it', async () => {
  await inFolderWithProgram(async (folder) => {
    const picture = join(folder, 'picture.png');
    const args = ['graph', join(checkout, 'src/cli/testdata/good.hcl'), '--out', picture];
    await run(process.execPath, [join(folder, 'millrace.js'), ...args], { cwd: folder, env: {} });
    expect((await sharp(picture).metadata()).width).toBeGreaterThan(500);
  });
});

test('the public gateway hashes passwords with nothing but the files beside it', async () => {
  await inFolderWithProgram(async (folder) => {
    const key = Buffer.alloc(32, 1).toString('base64url');
    for (const name of ['webhook', 'session']) await writeFile(join(folder, name), key);
    const env = {
      MILLRACE_NAMESPACE: 'test',
      MILLRACE_POD_NAME: 'test-0',
      MILLRACE_RELEASE: 'millrace',
      MILLRACE_KEYS_DIR: folder,
      MILLRACE_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    };
    const args = [join(folder, 'millrace.js'), 'gateway', '--role', 'public'];
    const gateway = spawn(process.execPath, args, { cwd: folder, env });
    let output = '';
    for await (const chunk of gateway.stdout) {
      output += String(chunk);
      // All modules of the gateway are loaded by then.
      if (output.includes('the connection to the database failed')) break;
    }
    gateway.kill('SIGKILL');
    expect(output).toContain('the connection to the database failed');
  });
});

test('the native libraries of sharp and argon2 are included for both architectures', () => {
  /** Values of `e_machine`. */
  const machines = { amd64: 0x3e, arm64: 0xb7 };
  for (const [architecture, machine] of Object.entries(machines)) {
    const binaries = [
      ...globSync(`native-${architecture}/@img/*/lib/*.{node,so*}`, { cwd: outputFolder }),
      ...globSync(`native-${architecture}/@node-rs/*/*.node`, { cwd: outputFolder }),
    ];
    expect(binaries.map((path) => readFileSync(join(outputFolder, path)).readUInt16LE(E_MACHINE))).toEqual([
      machine,
      machine,
      machine,
    ]);
  }
});

test.each(['shim-amd64', 'shim-arm64'])('%s is a static program', (name) => {
  const elf = readFileSync(join(outputFolder, name));
  const headers = Number(elf.readBigUInt64LE(E_PHOFF));
  const typesOfSegments = Array.from({ length: elf.readUInt16LE(E_PHNUM) }, (_, index) =>
    elf.readUInt32LE(headers + index * elf.readUInt16LE(E_PHENTSIZE)),
  );
  // Only a program that loads libraries names an interpreter.
  expect(typesOfSegments).not.toContain(PT_INTERP);
  expect(elf.length).toBeLessThan(3_000_000);
});

test('the notices contain the licence of each included package', () => {
  const text = readFileSync(join(outputFolder, 'THIRD-PARTY-NOTICES'), 'utf8');
  for (const name of [
    'fastify ',
    'slonik ',
    'sharp ',
    '@hpcc-js/wasm-graphviz ',
    'dejavu-fonts-ttf ',
    'github.com/hashicorp/hcl/v2 ',
    'The Go standard library',
  ]) {
    expect(text).toContain(`\n${name}`);
  }
});
