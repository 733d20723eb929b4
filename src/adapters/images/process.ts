import { fork, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { DrawingRefused } from '#flows/views/overview-ports.ts';
import { findFont, workerUrl } from './locate.ts';
import type { WorkerAnswer, WorkerRequest } from './worker-messages.ts';

export type Refusal = DrawingRefused['refused'];

/**
 * A process that draws: a fault of Graphviz or libvips, or of V8 when it is ended, takes nobody else along
 * (ADR 0014).
 */
export interface DrawingProcess {
  /** One request at a time. After a refusal the process is gone. */
  send(request: WorkerRequest, timeLimitMs: number): Promise<WorkerAnswer | { refused: Refusal }>;
  stop(): Promise<void>;
}

/**
 * It gets none of our environment, may start no program and write no file. Graphviz and pixels are beside the
 * heap; a small young generation keeps garbage from piling up.
 */
const FLAGS = [
  '--permission',
  '--allow-addons',
  '--allow-fs-read=*',
  '--max-old-space-size=256',
  '--max-semi-space-size=2',
  '--disable-warning=SecurityWarning',
];

/**
 * Blocks of 128 KiB and more go back to the system when they are freed. By itself glibc learns from the
 * pixels of the first PNG to keep blocks of 16 MB for good: 300 MB instead of 235 MB. One thread paints, and
 * all take small blocks from one place, which takes some MB less.
 */
const MEMORY = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '1' };

export function startDrawing(): DrawingProcess {
  const child = fork(fileURLToPath(workerUrl), [findFont()], {
    env: MEMORY,
    execArgv: FLAGS,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let settle: ((answer: WorkerAnswer | { refused: Refusal }) => void) | undefined;
  let fault: Refusal | undefined;
  const refuse = (reason: Refusal['reason'], message: string): void => {
    fault ??= { reason, message };
    settle?.({ refused: fault });
  };
  const gone = watchEnd(child, (how) => refuse('fault', `drawing failed: ${how}`));
  child.on('message', (answer: WorkerAnswer) => settle?.(answer));
  rest(child);
  return {
    async send(request, timeLimitMs) {
      if (fault) return { refused: fault };
      child.ref();
      child.channel?.ref();
      const answer = new Promise<WorkerAnswer | { refused: Refusal }>((resolve) => {
        settle = resolve;
      });
      const timer = setTimeout(() => refuse('time-limit', tooLong(timeLimitMs)), timeLimitMs);
      // A process that is gone says so by itself, and how it ended.
      child.send(request, () => undefined);
      const outcome = await answer;
      clearTimeout(timer);
      rest(child);
      if ('refused' in outcome) child.kill('SIGKILL');
      return outcome;
    },
    async stop() {
      refuse('fault', 'the drawing was ended');
      wake(child);
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Nobody's own process waits for one that has nothing to do. */
function rest(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/**
 * The end that `gone` waits for has come when the process, its channel and its standard error have all ended.
 * One that is left out keeps nothing alive: when it is the last to end, Node exits with code 13 before it.
 */
function wake(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
  if (child.stderr instanceof Socket) child.stderr.ref();
}

const LONGEST_WORDS = 4096;

/** Calls when the process has ended, with what it said of it on standard error, and resolves then. */
function watchEnd(child: ChildProcess, call: (how: string) => void): Promise<void> {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(0, LONGEST_WORDS);
  });
  if (child.stderr instanceof Socket) child.stderr.unref();
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      call(errorIn(words) ?? `it ended with ${signal ?? `exit code ${code}`}`);
      resolve();
    });
    child.on('error', (error) => {
      call(error.message);
      if (child.pid === undefined) resolve();
    });
  });
}

/** Node shows first where an error was thrown. */
function errorIn(words: string): string | undefined {
  const lines = words.split('\n').filter((line) => /\w/.test(line));
  return (lines.find((line) => /error|fatal/i.test(line)) ?? lines[0])?.trim().slice(0, 200);
}

const tooLong = (timeLimitMs: number): string =>
  `drawing took longer than ${timeLimitMs / 1000} s; hide intermediate resources or group parallel jobs`;
