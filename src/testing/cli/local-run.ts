import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach } from '@jest/globals';
import { defined } from '#defined';
import { buildTestShim } from '#testing/agent/build-agent.ts';
import { BUILT_PROGRAM } from '#testing/process/built-program.ts';

/* For tests of `millrace run`. */

const PIPELINE = 'src/cli/local/testdata/pipeline.hcl';

let shim = '';
/** Builds the shim before the first test, and gives each test a temporary folder. */
export function useLocalRun(): void {
  beforeAll(async () => {
    shim = await buildTestShim();
  }, 600_000);

  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), 'millrace-test-'));
    engineFolder = join(temporary, 'docker');
    mkdirSync(engineFolder);
    chmodSync(temporary, 0o755);
  });

  afterEach(() => {
    rmSync(temporary, { recursive: true, force: true });
  });
}

/** `$TMPDIR` of the command. */
let temporary = '';
/** The folder of the fake docker. */
let engineFolder = '';

const IMAGES = {
  'golang:1.26': image('golang:1.26', [], ['go']),
  'linter:2': image('linter:2', ['/bin/sh', '-c'], ['echo linting in $IMAGE']),
  'cache:8': image('cache:8', ['/bin/sh', '-c', 'touch cache-is-up; exec sleep 600'], []),
};

function image(name: string, entrypoint: string[], cmd: string[]) {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  return { architecture, env: { IMAGE: name }, entrypoint, cmd };
}

/** Puts a fake docker on PATH that knows `IMAGES`, under this name. Returns the PATH. */
export function withDocker(name = 'docker'): string {
  const program = join(temporary, 'docker-bin', name);
  mkdirSync(join(temporary, 'docker-bin'));
  const fake = join(import.meta.dirname, 'fake-docker.ts');
  writeFileSync(
    program,
    `#!/bin/sh\nFAKE_DOCKER='${engineFolder}' exec '${process.execPath}' '${fake}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  writeFileSync(join(engineFolder, 'registry.json'), JSON.stringify(IMAGES));
  return `${join(temporary, 'docker-bin')}:${process.env['PATH'] ?? ''}`;
}

/** The calls of docker, and the containers that still run. */
export function dockerState(): { calls: string; running: string[] } {
  const calls = normalized(textOf('calls')).split('\n').slice(0, -1);
  // Containers start at the same time, so the order of these calls differs from run to run.
  const inOrder = [...calls.filter((call) => !isStart(call)), ...calls.filter(isStart).toSorted()];
  return { calls: inOrder.map((call) => `${call}\n`).join(''), running: runningContainers() };
}

const isStart = (call: string): boolean => call.startsWith('docker run ');

const runningContainers = (): string[] => {
  const folder = join(engineFolder, 'running');
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** Content of a file of the fake docker; empty if it does not exist. */
const textOf = (name: string): string =>
  existsSync(join(engineFolder, name)) ? readFileSync(join(engineFolder, name), 'utf8') : '';

/** The path of the command's `$TMPDIR`. */
export const temporaryFolder = (): string => temporary;

/** The environment of the command, without the variables of jest. */
export function runEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', MILLRACE_CACHE, XDG_CACHE_HOME } = process.env;
  return {
    PATH,
    HOME,
    TMPDIR: temporary,
    MILLRACE_SHIM_BINARY: shim,
    ...defined({ MILLRACE_CACHE, XDG_CACHE_HOME }),
  };
}

export interface StartedCommand {
  child: ChildProcess;
  /** Standard output and error as they came. */
  output: () => string;
  ended: Promise<number | string>;
}

/** Starts `millrace run -p <the sample of the tests> <words>`. */
export function startRun(words: readonly string[], environment: Record<string, string> = {}): StartedCommand {
  const line = [BUILT_PROGRAM, 'run', '-p', PIPELINE, ...words];
  // Both streams are one pipe, so that their lines stay in order.
  const child = spawn('/bin/sh', ['-c', 'exec "$0" "$@" 2>&1', process.execPath, ...line], {
    env: { ...runEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? '')),
  );
  return { child, output: () => output, ended };
}

export interface FinishedRun {
  exit: number | string;
  /** Times and folders replaced. */
  output: string;
}

export async function run(line: string, environment: Record<string, string> = {}): Promise<FinishedRun> {
  const running = startRun(line.split(' '), environment);
  const exit = await running.ended;
  return { exit, output: normalized(running.output()) };
}

/** The command, what people see, and its exit code: for files that people read. */
export const transcript = (line: string, { exit, output }: FinishedRun): string =>
  `$ millrace run -p pipeline.hcl ${line}\n${output}--- exit code ${exit}\n`;

/** The text with fixed words in place of times, names and folders that differ from run to run. */
function normalized(text: string): string {
  return text
    .replaceAll(/\b\d{1,9}(?:\.\d{1,9})? s\b/g, 'N s')
    .replaceAll(/TOOK +/g, 'TOOK  ')
    .replaceAll(/(?<=N s) +/g, '  ')
    .replaceAll(/^skipped +/gm, 'skipped        ')
    .replaceAll(temporary, '/tmp')
    .replaceAll(/millrace-run-\w+/g, 'millrace-run-X')
    .replaceAll(/millrace-[0-9a-f]{8}-/g, 'millrace-X-')
    .replaceAll(shim, '/shim')
    .replaceAll(process.cwd(), '/checkout')
    .replaceAll(/\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}/g, 'DATE');
}

/** Waits until the command has printed a text. */
export async function printed(running: StartedCommand, text: string): Promise<void> {
  while (!running.output().includes(text)) {
    if (running.child.exitCode !== null) throw new Error(`it ended without ${text}:\n${running.output()}`);
    await sleep(20);
  }
}
