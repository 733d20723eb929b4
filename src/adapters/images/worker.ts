import { parentPort, workerData } from 'node:worker_threads';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import sharp from 'sharp';
import { loadFont } from './letters.ts';
import { createPainter } from './paint-png.ts';
import { readPlain } from './read-plain.ts';
import type { WorkerAnswer, WorkerData, WorkerRequest } from './worker-messages.ts';

/*
 * The thread that lays graphs out and paints pictures, one request at a time. After a fault of Graphviz nothing is known of its memory:
 * the fault ends the thread, and pictures.ts starts another one.
 */
const { font }: WorkerData = workerData;
// Pictures differ each time, and requests come one after another: caches and more threads would only take memory.
sharp.cache(false);
sharp.concurrency(1);
const graphviz = await Graphviz.load();
let painter: ReturnType<typeof createPainter> | undefined;

async function answer(request: WorkerRequest): Promise<WorkerAnswer> {
  if (request.kind === 'layout') {
    return { kind: 'layout', placed: readPlain(graphviz.layout(request.dot, 'plain', 'dot')) };
  }
  if (!painter) await loadFont(font);
  painter ??= createPainter();
  return { kind: 'png', png: await painter(request.shapes) };
}

parentPort?.on('message', (request: WorkerRequest) => {
  // A failure ends the thread: it is an unhandled rejection.
  void answer(request).then((reply) => parentPort?.postMessage(reply, []));
});
