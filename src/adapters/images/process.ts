import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { DrawingRefused } from '#flows/views/overview-ports.ts';
import { forkProgram } from '#fork-program';
import { findFont, workerUrl } from './locate.ts';
import type { DrawingReply, DrawingRequest } from './worker-messages.ts';

export type DrawingRefusal = DrawingRefused['refused'];

/** A separate process for drawing: a crash of Graphviz, libvips or V8 does not end the gateway (ADR 0014). */
export interface DrawingProcess {
  /** Takes one request at a time. After a refusal the process has ended. */
  send(request: DrawingRequest, timeLimitMs: number): Promise<DrawingReply | { refused: DrawingRefusal }>;
  stop(): Promise<void>;
}

/**
 * The process may read files, but not write any or start a program. Graphviz and pixels use memory outside
 * the heap, so the heap can be small. A small young generation makes V8 collect garbage early.
 */
const NODE_FLAGS = [
  '--permission',
  '--allow-addons',
  '--allow-fs-read=*',
  '--max-old-space-size=256',
  '--max-semi-space-size=2',
  '--disable-warning=SecurityWarning',
];

/**
 * Returns freed blocks of 128 KiB and more to the system. By default glibc raises this threshold after the
 * first PNG and keeps blocks of 16 MB, so that the process takes 300 MB instead of 235 MB. One thread and one
 * arena save some more memory.
 */
const MEMORY_ENVIRONMENT = {
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_ARENA_MAX: '1',
  UV_THREADPOOL_SIZE: '1',
};

export function startDrawing(): DrawingProcess {
  const child = forkProgram(fileURLToPath(workerUrl), [findFont()], {
    env: MEMORY_ENVIRONMENT,
    execArgv: NODE_FLAGS,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let settle: ((answer: DrawingReply | { refused: DrawingRefusal }) => void) | undefined;
  let fault: DrawingRefusal | undefined;
  const refuse = (reason: DrawingRefusal['reason'], message: string): void => {
    fault ??= { reason, message };
    settle?.({ refused: fault });
  };
  const ended = watchEnd(child, (cause) => refuse('fault', `drawing failed: ${cause}`));
  child.on('message', (answer: DrawingReply) => settle?.(answer));
  unrefChild(child);
  return {
    async send(request, timeLimitMs) {
      if (fault) return { refused: fault };
      child.ref();
      child.channel?.ref();
      const answer = new Promise<DrawingReply | { refused: DrawingRefusal }>((resolve) => {
        settle = resolve;
      });
      const timer = setTimeout(() => refuse('time-limit', tooLongMessage(timeLimitMs)), timeLimitMs);
      // If the process has ended, its `close` event reports it.
      child.send(request, () => undefined);
      const outcome = await answer;
      clearTimeout(timer);
      unrefChild(child);
      if ('refused' in outcome) child.kill('SIGKILL');
      return outcome;
    },
    async stop() {
      refuse('fault', 'the drawing was ended');
      refChild(child);
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Lets this process end while the child is idle. */
function unrefChild(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/**
 * The `close` event comes when the process, its channel and its stderr have all ended. Without references to
 * all three, Node can exit with code 13 before that event.
 */
function refChild(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
  if (child.stderr instanceof Socket) child.stderr.ref();
}

const MAX_STDERR_CHARACTERS = 4096;

/**
 * Resolves when the process has ended. Before that, it calls `onCause` with the cause, from stderr if
 * possible.
 */
function watchEnd(child: ChildProcess, onCause: (cause: string) => void): Promise<void> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, MAX_STDERR_CHARACTERS);
  });
  if (child.stderr instanceof Socket) child.stderr.unref();
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      onCause(errorIn(stderr) ?? `it ended with ${signal ?? `exit code ${code}`}`);
      resolve();
    });
    child.on('error', (error) => {
      onCause(error.message);
      if (child.pid === undefined) resolve();
    });
  });
}

/** Node prints the source location before the error itself. */
function errorIn(stderr: string): string | undefined {
  const lines = stderr.split('\n').filter((line) => /\w/.test(line));
  return (lines.find((line) => /error|fatal/i.test(line)) ?? lines[0])?.trim().slice(0, 200);
}

const tooLongMessage = (timeLimitMs: number): string =>
  `drawing took longer than ${timeLimitMs / 1000} s; hide intermediate resources or group parallel jobs`;
