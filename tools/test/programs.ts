import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { clusterEnvironment } from '#tools/chart/cluster-commands.ts';
import { checkout } from '#tools/checkout.ts';
import { countGo, countJest, oneIf, sum, type Counts } from './counts.ts';

/** A program of a gate that takes longer is ended, and the gate has failed. */
const MAX_GATE_MS = 120 * 60_000;

/** Aborted when the run ends early; the programs of gates end with it. */
export const stop = new AbortController();

/** Output of the programs of a gate that runs beside others. */
const outputOfGate = new AsyncLocalStorage<Buffer[]>();

/** Runs a gate whose programs write into `output` instead of the screen. */
export function withBufferedOutput(output: Buffer[], run: () => Promise<Counts>): Promise<Counts> {
  return outputOfGate.run(output, run);
}

/** Runs a program with inherited or buffered output. Returns its exit code. */
export function runShown(
  program: string,
  args: readonly string[],
  signal: AbortSignal | undefined = stop.signal,
): Promise<number> {
  const output = outputOfGate.getStore();
  const shown = output === undefined ? 'inherit' : 'pipe';
  const child = spawn(program, [...args], {
    cwd: checkout,
    env: testEnvironment(),
    stdio: ['ignore', shown, shown],
    timeout: MAX_GATE_MS,
    signal,
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => output?.push(part));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, killer) => {
      if (killer !== null) console.log(`${program} was ended by ${killer}`);
      resolve(code ?? 1);
    });
  });
}

function testEnvironment(): NodeJS.ProcessEnv {
  const options = '--experimental-vm-modules --disable-warning=ExperimentalWarning';
  return { ...clusterEnvironment(), NODE_OPTIONS: options, FORCE_COLOR: process.stdout.isTTY ? '1' : '0' };
}

/** A gate with one result: the exit code. */
export async function gate(program: string, args: readonly string[]): Promise<Counts> {
  return oneIf((await runShown(program, args)) === 0);
}

/** A leaked handle must not keep a run with results alive. The time limit of a test only ends what hangs. */
const JEST = ['--json', '--forceExit', '--testTimeout=600000'];

export async function jestProject(project: string, ...args: string[]): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-test-'));
  const report = join(folder, 'jest.json');
  try {
    const code = await runShown('jest', [
      '--selectProjects',
      project,
      ...JEST,
      `--outputFile=${report}`,
      ...args,
    ]);
    return countJest(await readFile(report, 'utf8').catch(() => undefined), code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The settings of the build, so that compiled packages are shared. */
const GO = { CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly -trimpath' };
/** For the module of the HCL engine, whose program compiles only to WebAssembly. */
const ENGINE = { GOOS: 'wasip1', GOARCH: 'wasm' };

/**
 * Checks the format of all Go files in src, tools and bench, then vets and tests each module that has tests.
 */
export async function goModules(): Promise<Counts> {
  const modules = new Set<string>();
  for await (const file of glob('{src,tools,bench}/**/*_test.go', { cwd: checkout })) {
    modules.add(await moduleOf(join(checkout, dirname(file))));
  }
  const counts: Counts[] = [oneIf(await isFormatted())];
  for (const folder of [...modules].toSorted()) {
    counts.push(await goVet(folder), await goTest(folder));
  }
  return sum(counts);
}

async function goVet(folder: string): Promise<Counts> {
  const target = folder.endsWith('/engine') ? ENGINE : {};
  const { code } = await runRead('go', ['vet', './...'], folder, { ...GO, ...target });
  console.log(`go vet ${folder.slice(checkout.length + 1)}: ${code === 0 ? 'fine' : 'see above'}`);
  return oneIf(code === 0);
}

async function moduleOf(folder: string): Promise<string> {
  const own = await readFile(join(folder, 'go.mod')).catch(() => undefined);
  if (own !== undefined) return folder;
  if (folder === checkout) throw new Error('a Go test is in no module');
  return moduleOf(dirname(folder));
}

async function goTest(folder: string): Promise<Counts> {
  const { lines, code } = await runRead('go', ['test', '-json', '-timeout=30m', './...'], folder, GO);
  const counts = countGo(lines, code);
  console.log(
    `go test ${folder.slice(checkout.length + 1)}: ${counts.passed} passed, ${counts.failed} failed`,
  );
  if (counts.failed > 0) for (const line of lines) console.log(outputOf(line));
  return counts;
}

async function isFormatted(): Promise<boolean> {
  const files: string[] = [];
  for await (const file of glob('{src,tools,bench}/**/*.go', { cwd: checkout })) files.push(file);
  const { lines, code } = await runRead('gofmt', ['-l', ...files], checkout);
  for (const line of lines) console.log(`not formatted by gofmt: ${line}`);
  return code === 0 && lines.length === 0;
}

async function runRead(
  program: string,
  args: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<{ lines: string[]; code: number }> {
  const child = spawn(program, [...args], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: MAX_GATE_MS,
    signal: stop.signal,
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (ended) => resolve(ended ?? 1));
  });
  return { lines, code };
}

/** The text in a line of `go test -json`. */
function outputOf(line: string): string {
  const [, output] = /"Output":("(?:[^"\\]|\\.)*")/.exec(line) ?? [];
  const text: unknown = output === undefined ? '' : JSON.parse(output);
  return typeof text === 'string' ? text.trimEnd() : '';
}
