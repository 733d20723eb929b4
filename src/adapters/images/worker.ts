import { argv } from 'node:process';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import sharp from 'sharp';
import { loadFont } from './glyphs.ts';
import { createPainter } from './paint-png.ts';
import { readPlain } from './read-plain.ts';
import type { WorkerAnswer, WorkerRequest } from './worker-messages.ts';

/*
 * The process that lays graphs out and paints pictures, one request at a time. After a fault of Graphviz
 * nothing is known of its memory: the fault ends the process, and pictures.ts starts another one.
 */
/** A TrueType file with DejaVu Sans. */
const [, , font = ''] = argv;
// Pictures differ each time, and requests come one after another: caches and threads would only take memory.
sharp.cache(false);
sharp.concurrency(1);
const graphviz = await Graphviz.load();
let painter: ReturnType<typeof createPainter> | undefined;

async function answer(request: WorkerRequest): Promise<WorkerAnswer> {
  if (request.kind === 'layout') {
    return { kind: 'layout', placed: readPlain(graphviz.layout(request.dot, 'plain-ext', 'dot')) };
  }
  if (!painter) await loadFont(font);
  painter ??= createPainter();
  return { kind: 'png', png: await painter(request.shapes) };
}

process.on('message', (request: WorkerRequest) => {
  // A failure ends the process: it is an unhandled rejection.
  void answer(request).then((reply) => process.send?.(reply));
});
// Whoever asked is gone, and may have been killed.
process.on('disconnect', () => process.exit());
