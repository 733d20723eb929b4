import { argv } from 'node:process';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import sharp from 'sharp';
import { loadFont } from './glyphs.ts';
import { createPainter } from './paint-png.ts';
import { readPlain } from './read-plain.ts';
import type { DrawingReply, DrawingRequest } from './worker-messages.ts';

/*
 * The drawing process: lays out graphs and paints PNGs, one request at a time. After a fault of Graphviz its
 * memory is undefined, so the fault ends the process and pictures.ts starts another one.
 */
/** Path of a TrueType file with DejaVu Sans. */
const [, , font = ''] = argv;
// Caches and threads would only cost memory, because each picture is different and requests come one at a
// time.
sharp.cache(false);
sharp.concurrency(1);
const graphviz = await Graphviz.load();
let painter: ReturnType<typeof createPainter> | undefined;

async function answer(request: DrawingRequest): Promise<DrawingReply> {
  if (request.kind === 'layout') {
    return { kind: 'layout', placed: readPlain(graphviz.layout(request.dot, 'plain-ext', 'dot')) };
  }
  if (!painter) await loadFont(font);
  painter ??= createPainter();
  return { kind: 'png', png: await painter(request.shapes) };
}

process.on('message', (request: DrawingRequest) => {
  // A failure is an unhandled rejection, which ends the process.
  void answer(request).then((reply) => process.send?.(reply));
});
// The parent process has ended, possibly by a kill signal.
process.on('disconnect', () => process.exit());
