import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import { diagnose, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { definitionTooLong } from '#domain/pipeline/limits.ts';
import { forkProgram } from '#fork-program';
import { busyDiagnostic } from './thread.ts';
import type { CompileRequest, EvaluationLimits, HostAnswer, HostRequest } from './worker-messages.ts';

/** A child process that compiles one text at a time. */
export interface CompilerProcess {
  send(request: CompileRequest, limits: EvaluationLimits): Promise<Compilation>;
  /** True once the process has ended or failed: start another one. */
  hasEnded(): boolean;
  stop(): Promise<void>;
}

const isSource = import.meta.url.endsWith('.ts');
/** The program of the process. It is beside the bundle, or beside this source file. */
const program = fileURLToPath(new URL(isSource ? './host.ts' : './hcl-host.js', import.meta.url));
/**
 * The program may read only this folder and that of the engine. For the sources, it is the whole repository.
 */
const readableFolder = fileURLToPath(new URL(isSource ? '../../../' : './', import.meta.url));

export function startProcess(engine: string, memoryLimitMb: number): CompilerProcess {
  const child = forkHost(engine, memoryLimitMb);
  void raiseOomScore(child);
  const stderrOf = collectStderr(child);
  let settle: ((answer: HostAnswer) => void) | undefined;
  let finalAnswer: HostAnswer | undefined;
  const end = (failure: Diagnostic): void => {
    finalAnswer ??= { kind: 'failed', failure };
    settle?.(finalAnswer);
  };
  const exited = new Promise<void>((resolve) => {
    child.on('close', (code, signal) => {
      end(explainEnd(stderrOf(), signal ?? `exit code ${code}`));
      resolve();
    });
    child.on('error', (error) => {
      end(diagnose('engine-fault', undefined, `the process that reads pipelines failed: ${error.message}`));
      if (child.pid === undefined) resolve();
    });
  });
  child.on('message', (answer: HostAnswer) => settle?.(answer));
  unrefChild(child);

  return {
    async send(request, limits) {
      if (finalAnswer) return readAnswer(finalAnswer);
      child.ref();
      child.channel?.ref();
      const answer = new Promise<HostAnswer>((resolve) => {
        settle = resolve;
      });
      // The process enforces the limits itself. This timer kills a process that does not respond.
      const killTimer = setTimeout(() => {
        end(busyDiagnostic(limits));
        child.kill('SIGKILL');
      }, 2 * limits.wallMs);
      const message: HostRequest = { request, limits };
      // If the process has ended, its `close` event reports it.
      child.send(message, () => undefined);
      const outcome = await answer;
      clearTimeout(killTimer);
      unrefChild(child);
      return readAnswer(outcome);
    },
    hasEnded: () => finalAnswer !== undefined,
    async stop() {
      end(diagnose('engine-fault', undefined, 'the compiler was closed'));
      refChild(child);
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/**
 * Starts the process without environment variables. It may start threads, but no programs. It may write no
 * files, and read only files in the folder of its program and in that of the engine.
 */
function forkHost(engine: string, memoryLimitMb: number): ChildProcess {
  return forkProgram(program, [engine, String(memoryLimitMb)], {
    env: {},
    execArgv: [
      '--permission',
      '--allow-worker',
      `--allow-fs-read=${readableFolder}*`,
      `--allow-fs-read=${dirname(engine)}/*`,
      '--disable-warning=ExperimentalWarning',
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** The kernel kills processes with a high score first. */
const HIGHEST_OOM_SCORE = '1000';

/**
 * If the container runs out of memory, the kernel should kill the process with the hostile text, not its
 * parent. Linux only.
 */
async function raiseOomScore({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined || process.platform !== 'linux') return;
  // If the process has ended or /proc is not accessible, it keeps the score of its parent.
  await writeFile(`/proc/${pid}/oom_score_adj`, HIGHEST_OOM_SCORE).catch(() => undefined);
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

/** Collects the beginning of stderr, because the cause comes first. */
function collectStderr(child: ChildProcess): () => string {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, MAX_STDERR_CHARACTERS);
  });
  if (child.stderr instanceof Socket) child.stderr.unref();
  return () => stderr;
}

function explainEnd(stderr: string, endedBy: string): Diagnostic {
  if (/out of memory|heap limit|allocation failed/i.test(stderr)) {
    return diagnose('memory-limit', undefined, 'reading the pipeline took more memory than is allowed');
  }
  const firstLine = stderr.split('\n').find((line) => /\w/.test(line));
  const output = firstLine === undefined ? '' : `: ${firstLine.trim().slice(0, 200)}`;
  return diagnose('engine-fault', undefined, `the process that reads pipelines ended (${endedBy})${output}`);
}

function readAnswer(answer: HostAnswer): Compilation {
  if (answer.kind === 'compiled') return deserialize(answer.compilation);
  if (answer.kind === 'failed') return { diagnostics: [answer.failure] };
  return { diagnostics: [definitionTooLong(answer.bytes)] };
}
