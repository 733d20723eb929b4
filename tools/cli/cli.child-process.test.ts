import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { checkout } from '#tools/checkout.ts';
import { outputFolder } from '#tools/dist/inputs.ts';
import { ownTarget } from './executables.ts';
import { commandsOf } from './sign-mach-o.ts';

const run = promisify(execFile);
const folder = join(outputFolder, 'cli');
const PIPELINE = join(checkout, 'src/cli/testdata/good.hcl');
const TIMEOUT_MS = 600_000;

let workFolder = '';
beforeAll(async () => {
  // A space in the path of the cache is the hard case for flags of Node.
  workFolder = mkdtempSync(join(tmpdir(), 'millrace cli '));
  const env = { ...process.env, NODE_OPTIONS: '' };
  await run(process.execPath, [join(import.meta.dirname, 'main.ts')], { env });
}, TIMEOUT_MS);
afterAll(() => rmSync(workFolder, { recursive: true }));

test('one command builds four executables, an npm package and their checksums', async () => {
  expect(readdirSync(folder).toSorted()).toEqual([
    'SHA256SUMS',
    'millrace-0.1.0.tgz',
    'millrace-darwin-amd64',
    'millrace-darwin-arm64',
    'millrace-linux-amd64',
    'millrace-linux-arm64',
  ]);
  const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder });
  expect(stdout.match(/: OK$/gm)).toHaveLength(5);
});

describe('the executable of this machine', () => {
  const executable = join(folder, `millrace-${ownTarget()}`);
  const execute = (args: readonly string[], environment: Record<string, string> = {}) =>
    run(executable, args, {
      cwd: workFolder,
      env: { PATH: '/usr/bin:/bin', XDG_CACHE_HOME: workFolder, ...environment },
    });

  test('prints its version, and nothing else', async () => {
    await expect(execute(['--version'])).resolves.toEqual({ stdout: '0.1.0\n', stderr: '' });
  });

  test('validates a pipeline', async () => {
    const { stdout, stderr } = await execute(['validate', PIPELINE]);
    expect(stdout + stderr).toBe(`${PIPELINE}: valid, 2 jobs, 2 resources\n`);
  });

  test('draws a picture', async () => {
    await execute(['graph', PIPELINE, '--out', 'picture.png']);
    expect((await sharp(join(workFolder, 'picture.png')).metadata()).width).toBeGreaterThan(500);
  });

  test('has no parts of an installation', async () => {
    await expect(execute(['operator'])).rejects.toMatchObject({ code: 2 });
  });

  test('unpacks itself once, for the user only', async () => {
    const programs = join(workFolder, 'millrace/program');
    const [name = '', ...more] = readdirSync(programs);
    expect(more).toEqual([]);
    expect(statSync(join(programs, name)).mode & 0o077).toBe(0);
    const before = statSync(join(programs, name, 'millrace.js')).mtimeMs;
    await execute(['--version']);
    expect(statSync(join(programs, name, 'millrace.js')).mtimeMs).toBe(before);
  });

  test('may start many times at once on a new machine', async () => {
    const environment = { MILLRACE_CACHE: join(workFolder, 'many') };
    const answers = await Promise.all(Array.from({ length: 4 }, () => execute(['--version'], environment)));
    expect(answers.map(({ stdout }) => stdout)).toEqual(Array(4).fill('0.1.0\n'));
    expect(readdirSync(join(workFolder, 'many/program'))).toHaveLength(1);
  });

  test('runs no program that another user could have written', async () => {
    const cache = join(workFolder, 'shared');
    await execute(['--version'], { MILLRACE_CACHE: cache });
    chmodSync(join(cache, 'program'), 0o777);
    const refused = execute(['--version'], { MILLRACE_CACHE: cache });
    await expect(refused).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`other users can write to ${cache}/program. Set MILLRACE_CACHE`),
    });
  });

  test('says what to do if it cannot be unpacked', async () => {
    symlinkSync('/dev/null', join(workFolder, 'no-folder'));
    const refused = execute(['--version'], { MILLRACE_CACHE: join(workFolder, 'no-folder') });
    await expect(refused).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Set MILLRACE_CACHE to a folder that only you can write to.'),
    });
  });
});

describe('the executables of other machines', () => {
  test.each([
    ['millrace-linux-amd64', 0x3e],
    ['millrace-linux-arm64', 0xb7],
  ])('%s is an ELF executable that contains the program', (name, machine) => {
    const elf = readFileSync(join(folder, name));
    expect(elf.toString('latin1', 0, 4)).toBe('\u007fELF');
    expect(elf.readUInt16LE(18)).toBe(machine);
    expect(elf.includes('NODE_SEA_BLOB')).toBe(true);
    expect(elf.includes('start-millrace.cjs')).toBe(true);
  });

  test.each([
    ['millrace-darwin-amd64', 0x0100_0007],
    ['millrace-darwin-arm64', 0x0100_000c],
  ])('%s is a signed executable for macOS that contains the program', (name, machine) => {
    const program = readFileSync(join(folder, name));
    expect(program.readUInt32LE(4)).toBe(machine);
    expect(program.includes('NODE_SEA_BLOB')).toBe(true);
    expect(program.includes('start-millrace.cjs')).toBe(true);
    expect(program.includes('shim-amd64')).toBe(false);
    const signature = commandsOf(program).find(({ kind }) => kind === 0x1d);
    const at = program.readUInt32LE((signature?.at ?? 0) + 8);
    expect(at + program.readUInt32LE((signature?.at ?? 0) + 12)).toBe(program.length);
    expect(brokenPages(program, at)).toEqual([]);
  });
});

test(
  'the npm package installs and runs, also as a plugin of kubectl',
  async () => {
    const project = join(workFolder, 'project');
    mkdirSync(project);
    const archive = join(folder, 'millrace-0.1.0.tgz');
    const args = [
      'install',
      '--offline',
      '--omit=optional',
      '--no-audit',
      '--no-fund',
      '--prefix',
      project,
      archive,
    ];
    await run('npm', args, { cwd: project, env: { ...process.env, NODE_OPTIONS: '' } });
    const env = { PATH: `${join(checkout, 'node_modules/.bin')}:/usr/bin:/bin` };
    for (const name of ['millrace', 'kubectl-millrace']) {
      const program = join(project, 'node_modules/.bin', name);
      await expect(run(program, ['--version'], { env })).resolves.toEqual({ stdout: '0.1.0\n', stderr: '' });
      const { stdout } = await run(program, ['validate', PIPELINE], { env });
      expect(stdout).toBe(`${PIPELINE}: valid, 2 jobs, 2 resources\n`);
    }
    const files = readdirSync(join(project, 'node_modules/millrace'));
    expect(files.filter((name) => /\.(?:ts|map)$|test/.test(name))).toEqual([]);
  },
  TIMEOUT_MS,
);

/** Pages whose hash differs from that in the signature. The kernel of macOS makes the same comparison. */
function brokenPages(program: Buffer, signature: number): number[] {
  const directory = signature + program.readUInt32BE(signature + 16);
  const hashes = directory + program.readUInt32BE(directory + 16);
  const [pages, limit] = [program.readUInt32BE(directory + 28), program.readUInt32BE(directory + 32)];
  const size = 2 ** program.readUInt8(directory + 39);
  expect([limit, pages]).toEqual([signature, Math.ceil(signature / size)]);
  return Array.from({ length: pages }, (_, page) => page).filter((page) => {
    const content = program.subarray(page * size, Math.min((page + 1) * size, limit));
    const hash = createHash('sha256').update(content).digest();
    return !hash.equals(program.subarray(hashes + page * 32, hashes + (page + 1) * 32));
  });
}
