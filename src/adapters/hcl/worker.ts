import { serialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { LIMITS } from '#domain/pipeline/limits.ts';
import { readPipeline } from './compile-text.ts';
import { startEngine } from './engine.ts';
import { openWorkPlace } from './evaluated-range.ts';
import type { WorkerAnswer, WorkerData, WorkerRequest } from './worker-messages.ts';

/*
 * The thread that compiles pipelines. It takes one request at a time; a fault of the engine ends the thread,
 * and host.ts starts another one.
 */
const { module, place }: WorkerData = workerData;
const workPlace = openWorkPlace(place);
const engine = startEngine(module);
/** Bytes of text; reading one makes about a thousand of garbage. */
const COLLECT_EVERY = 16 * 1024;
let uncollected = 0;
const answer = (message: WorkerAnswer | { kind: 'ready' }): void => parentPort?.postMessage(message, []);

parentPort?.on('message', ({ source, variables, sources, time }: WorkerRequest) => {
  const compilation = serialize(
    readPipeline(engine, source, variables, { sources, time, atWork: workPlace.note }),
  );
  const { length } = compilation;
  answer(
    length > LIMITS.definitionBytes ? { kind: 'too-long', bytes: length } : { kind: 'compiled', compilation },
  );
  uncollected += source.length;
  if (uncollected < COLLECT_EVERY) return;
  uncollected = 0;
  engine.collect();
});
answer({ kind: 'ready' });
