import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { startEngine } from './engine.ts';
import { limitMemory } from './memory-limit.ts';
import { readPipeline } from './read-pipeline.ts';
import type { WorkerAnswer, WorkerData, WorkerRequest } from './worker-messages.ts';

/*
 * The thread that compiles pipelines. It takes one request at a time; a fault of the engine ends the thread, and compile.ts starts
 * another one.
 */
const { engine: file, memoryLimitMb }: WorkerData = workerData;
const engine = startEngine(new WebAssembly.Module(limitMemory(readFileSync(file), memoryLimitMb)));
/** Bytes of text; reading one makes about a thousand of garbage. */
const COLLECT_EVERY = 16 * 1024;
let uncollected = 0;
const answer = (message: WorkerAnswer): void => parentPort?.postMessage(message, []);

parentPort?.on('message', ({ source, variables }: WorkerRequest) => {
  answer({ kind: 'compiled', compilation: readPipeline(engine, source, variables) });
  uncollected += source.length;
  if (uncollected < COLLECT_EVERY) return;
  uncollected = 0;
  engine.collect();
});
answer({ kind: 'ready' });
