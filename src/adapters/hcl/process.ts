import { fork, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import { diagnose, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { definitionTooLong } from '#domain/pipeline/limits.ts';
import { PATIENCE, tooLong } from './thread.ts';
import type { HostAnswer, HostRequest, WorkerRequest } from './worker-messages.ts';

/** A process that compiles one text after another. */
export interface CompilerProcess {
  send(request: WorkerRequest, timeLimitMs: number): Promise<Compilation>;
  /** It will not answer any more; whoever needs one starts another. */
  hasEnded(): boolean;
  stop(): Promise<void>;
}

const isSource = import.meta.url.endsWith('.ts');
/** The bundle has the process's program beside it; sources run as they are. */
const program = fileURLToPath(new URL(isSource ? './host.ts' : './hcl-host.js', import.meta.url));
/** All that the program is made of. */
const readable = fileURLToPath(new URL(isSource ? '../../../' : './', import.meta.url));

export function startProcess(engine: string, memoryLimitMb: number): CompilerProcess {
  const child = forkHost(engine, memoryLimitMb);
  void preferForOutOfMemory(child);
  const lastWords = listen(child);
  let settle: ((answer: HostAnswer) => void) | undefined;
  let ended: HostAnswer | undefined;
  const end = (failure: Diagnostic): void => {
    ended ??= { kind: 'failed', failure };
    settle?.(ended);
  };
  const gone = new Promise<void>((resolve) => {
    child.on('close', (code, signal) => {
      end(explainEnd(lastWords(), signal ?? `exit code ${code}`));
      resolve();
    });
    child.on('error', (error) => {
      end(diagnose('engine-fault', undefined, `the process that reads pipelines failed: ${error.message}`));
      if (child.pid === undefined) resolve();
    });
  });
  child.on('message', (answer: HostAnswer) => settle?.(answer));
  rest(child);

  return {
    async send(request, timeLimitMs) {
      if (ended) return readAnswer(ended);
      child.ref();
      child.channel?.ref();
      const answer = new Promise<HostAnswer>((resolve) => {
        settle = resolve;
      });
      // The process counts the time itself; this is for one that no longer does.
      const last = setTimeout(
        () => {
          end(tooLong(timeLimitMs));
          child.kill('SIGKILL');
        },
        2 * PATIENCE * timeLimitMs,
      );
      const message: HostRequest = { request, timeLimitMs };
      // A process that is gone says so by itself, and how it ended.
      child.send(message, () => undefined);
      const outcome = await answer;
      clearTimeout(last);
      rest(child);
      return readAnswer(outcome);
    },
    hasEnded: () => ended !== undefined,
    async stop() {
      end(diagnose('engine-fault', undefined, 'the compiler was closed'));
      wake(child);
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/**
 * It gets no environment, may start no program and write no file, and reads nothing but itself and the
 * engine.
 */
function forkHost(engine: string, memoryLimitMb: number): ChildProcess {
  return fork(program, [engine, String(memoryLimitMb)], {
    env: {},
    execArgv: [
      '--permission',
      '--allow-worker',
      `--allow-fs-read=${readable}*`,
      `--allow-fs-read=${dirname(engine)}/*`,
      '--disable-warning=ExperimentalWarning',
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** The kernel's highest score: this process is killed first. */
const KILLED_FIRST = '1000';

/**
 * If the container runs out of memory, the kernel kills the process that reads a hostile text, and not the
 * one that started it. Linux only.
 */
async function preferForOutOfMemory({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined || process.platform !== 'linux') return;
  // The process may have ended, or /proc may be out of reach: then it has its parent's score.
  await writeFile(`/proc/${pid}/oom_score_adj`, KILLED_FIRST).catch(() => undefined);
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

/** The beginning of what the process says on standard error: what broke it comes first. */
function listen(child: ChildProcess): () => string {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(0, LONGEST_WORDS);
  });
  if (child.stderr instanceof Socket) child.stderr.unref();
  return () => words;
}

function explainEnd(words: string, how: string): Diagnostic {
  if (/out of memory|heap limit|allocation failed/i.test(words)) {
    return diagnose('memory-limit', undefined, 'reading the pipeline took more memory than is allowed');
  }
  const first = words.split('\n').find((line) => /\w/.test(line));
  const said = first === undefined ? '' : `: ${first.trim().slice(0, 200)}`;
  return diagnose('engine-fault', undefined, `the process that reads pipelines ended (${how})${said}`);
}

function readAnswer(answer: HostAnswer): Compilation {
  if (answer.kind === 'compiled') return deserialize(answer.compilation);
  if (answer.kind === 'failed') return { diagnostics: [answer.failure] };
  return { diagnostics: [definitionTooLong(answer.bytes)] };
}
