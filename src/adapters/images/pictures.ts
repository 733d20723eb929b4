import type { Layout } from '#domain/graph/layout.ts';
import type { Drawing, DrawingRefused, PictureToDraw } from '#flows/views/overview-ports.ts';
import { drawShapes, isReadable } from './draw-shapes.ts';
import { drawSvg } from './draw-svg.ts';
import { layoutOf } from './layout.ts';
import { createLayouts, type LayoutResult } from './layouts.ts';
import { startDrawing, type DrawingProcess, type DrawingRefusal } from './process.ts';
import type { DrawingReply, DrawingRequest } from './worker-messages.ts';

export interface Pictures extends Drawing {
  /**
   * Draws pipeline texts that are not saved. Their layouts have a cache of their own, so that they do not
   * evict layouts of saved pipelines.
   */
  previews: Pick<Drawing, 'svg'>;
  /** Ends the process. Requests that wait are refused. */
  close(): Promise<void>;
}

export interface PicturesOptions {
  /** Time limit of one layout or one PNG, without the time in the queue; 10 s by default. */
  timeLimitMs?: number;
  /** After this time without a request, the process ends to release its memory; 60 s by default. */
  idleMs?: number;
}

/**
 * Lays out graphs and paints PNGs in a separate process. Layouts are cached, so a picture that differs only
 * in colours needs no new layout.
 */
export function createPictures({ timeLimitMs = 10_000, idleMs = 60_000 }: PicturesOptions = {}): Pictures {
  const queue = createRequestQueue(timeLimitMs, idleMs);
  const layouts = createLayouts(async (graph, dot) => {
    const answer = await queue.send({ kind: 'layout', dot });
    if ('refused' in answer) return answer;
    if (answer.kind !== 'layout') throw new Error(`expected a layout, got ${answer.kind}`);
    return { layout: layoutOf(answer.placed, graph) };
  });
  return {
    layout: (graph) => layouts.find(graph),
    svg: async (picture) => svgOf(picture, await layouts.find(picture.graph)),
    previews: { svg: async (picture) => svgOf(picture, await layouts.findPreview(picture.graph)) },
    async png({ graph, styles, name }) {
      const layoutResult = await layouts.find(graph);
      if ('refused' in layoutResult) return layoutResult;
      if (!isReadable(layoutResult.layout)) return { refused: tooSmall(layoutResult.layout) };
      const shapes = drawShapes({ graph, styles, name, layout: layoutResult.layout });
      const answer = await queue.send({ kind: 'png', shapes });
      if ('refused' in answer) return answer;
      if (answer.kind !== 'png') throw new Error(`expected a PNG, got ${answer.kind}`);
      return { png: answer.png };
    },
    close: () => queue.close(),
  };
}

function svgOf(picture: PictureToDraw, layoutResult: LayoutResult): { svg: string } | DrawingRefused {
  return 'refused' in layoutResult
    ? layoutResult
    : { svg: drawSvg({ ...picture, layout: layoutResult.layout }) };
}

function tooSmall({ width, height }: Layout): DrawingRefusal {
  const message =
    `the picture is ${width} by ${height} points, too large for a PNG with legible text. ` +
    'Draw an SVG, hide intermediate resources or group parallel jobs';
  return { reason: 'too-large', message };
}

interface RequestQueue {
  send(request: DrawingRequest): Promise<DrawingReply | { refused: DrawingRefusal }>;
  close(): Promise<void>;
}

/**
 * While this many requests run or wait, further requests are refused at once, because they would wait too
 * long.
 */
const MAX_OPEN_REQUESTS = 20;
const BUSY = {
  refused: { reason: 'busy', message: 'too many pictures are being drawn at once: try again in a moment' },
} as const;

/** Sends one request at a time to a process that is started on demand. */
function createRequestQueue(timeLimitMs: number, idleMs: number): RequestQueue {
  let drawing: DrawingProcess | undefined;
  let lastRequest: Promise<unknown> = Promise.resolve();
  let idleTimer: NodeJS.Timeout | undefined;
  let closed = false;
  let openRequests = 0;

  const stopProcess = async (): Promise<void> => {
    clearTimeout(idleTimer);
    const stopping = drawing;
    drawing = undefined;
    await stopping?.stop();
  };
  const run = async (request: DrawingRequest): Promise<DrawingReply | { refused: DrawingRefusal }> => {
    if (closed) return { refused: { reason: 'fault', message: 'the drawing was ended' } };
    clearTimeout(idleTimer);
    drawing ??= startDrawing();
    const processOfRequest = drawing;
    const answer = await processOfRequest.send(request, timeLimitMs);
    if ('refused' in answer && drawing === processOfRequest) drawing = undefined;
    idleTimer = setTimeout(() => void stopProcess(), idleMs);
    idleTimer.unref();
    return answer;
  };
  return {
    async send(request) {
      if (openRequests >= MAX_OPEN_REQUESTS) return BUSY;
      openRequests += 1;
      const answer = lastRequest.then(() => run(request)).finally(() => (openRequests -= 1));
      lastRequest = answer.catch(() => undefined);
      return await answer;
    },
    async close() {
      closed = true;
      await stopProcess();
    },
  };
}
