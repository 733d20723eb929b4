import { serialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { LIMITS } from '#domain/pipeline/limits.ts';
import { compileText } from './compile-text.ts';
import { startEngine } from './engine.ts';
import { openEvaluatedRange } from './evaluated-range.ts';
import type { CompileAnswer, CompileRequest, WorkerData } from './worker-messages.ts';

/*
 * The compiler thread, which host.ts starts. It handles one request at a time. A fault of the engine ends the
 * thread, and host.ts starts another one for the next request.
 */
const { module, rangeMemory }: WorkerData = workerData;
const evaluatedRange = openEvaluatedRange(rangeMemory);
const engine = startEngine(module);
/**
 * The engine collects garbage after it has parsed this many bytes of text. Parsing a byte creates about a
 * thousand bytes of garbage.
 */
const COLLECT_AFTER_BYTES = 16 * 1024;
let uncollectedBytes = 0;
const post = (message: CompileAnswer | { kind: 'ready' }): void => parentPort?.postMessage(message, []);

parentPort?.on('message', ({ source, variables, sources, time }: CompileRequest) => {
  const compilation = serialize(
    compileText(engine, source, variables, { sources, time, onEvaluation: evaluatedRange.note }),
  );
  const { length } = compilation;
  post(
    length > LIMITS.definitionBytes ? { kind: 'too-long', bytes: length } : { kind: 'compiled', compilation },
  );
  uncollectedBytes += source.length;
  if (uncollectedBytes < COLLECT_AFTER_BYTES) return;
  uncollectedBytes = 0;
  engine.collect();
});
post({ kind: 'ready' });
