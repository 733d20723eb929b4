import { readFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { diagnose } from '#domain/language/diagnostic.ts';
import { limitMemory } from './memory-limit.ts';
import { startThread, type CompilerThread } from './thread.ts';
import type { EvaluationLimits, HostAnswer, HostRequest } from './worker-messages.ts';

/*
 * The compiler process, which process.ts starts. It handles one request at a time, in a thread that can be
 * terminated. It is a process of its own, because V8 aborts the whole process after some faults of a thread
 * (ADR 0014).
 */
const [, , engine = '', megabytes = ''] = argv;
const memoryLimitMb = Number(megabytes);
const compiledEngine = compileEngine();
let thread: CompilerThread | undefined;

process.on('message', ({ request, limits }: HostRequest) => {
  void answer(request, limits).then((reply) => process.send?.(reply));
});
// The parent process has ended, possibly by a kill signal, so nobody waits for the result.
process.on('disconnect', () => process.exit());

async function answer(request: HostRequest['request'], limits: EvaluationLimits): Promise<HostAnswer> {
  try {
    thread ??= startThread(await compiledEngine, memoryLimitMb);
  } catch (error) {
    const reason = Error.isError(error) ? error.message : String(error);
    return {
      kind: 'failed',
      failure: diagnose('engine-fault', undefined, `the HCL engine failed: ${reason}`),
    };
  }
  const reply = await thread.send(request, limits);
  if (reply.kind === 'failed') thread = undefined;
  return reply;
}

async function compileEngine(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(limitMemory(await readFile(engine), memoryLimitMb));
}
