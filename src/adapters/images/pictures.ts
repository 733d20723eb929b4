import type { Drawing } from '#flows/views/overview-ports.ts';
import { drawShapes, isReadable } from './draw-shapes.ts';
import { drawSvg } from './draw-svg.ts';
import { layoutOf, type Layout } from './layout.ts';
import { createLayouts } from './layouts.ts';
import { startDrawing, type DrawingProcess, type Refusal } from './process.ts';
import type { WorkerAnswer, WorkerRequest } from './worker-messages.ts';

export interface Pictures extends Drawing {
  /** Ends the process; what is still waiting is refused. */
  close(): Promise<void>;
}

export interface PicturesOptions {
  /** For one layout or one painting, from the moment the process is free for it. */
  timeLimitMs?: number;
  /** After so long without a request the process ends and gives back its memory. */
  idleMs?: number;
}

/** Draws in a process of its own. Layouts are kept: when only colours change, the process is not asked. */
export function createPictures({ timeLimitMs = 10_000, idleMs = 60_000 }: PicturesOptions = {}): Pictures {
  const turns = createTurns(timeLimitMs, idleMs);
  const layouts = createLayouts(async (graph, dot) => {
    const answer = await turns.send({ kind: 'layout', dot });
    if ('refused' in answer) return answer;
    if (answer.kind !== 'layout') throw new Error(`asked for a layout, got ${answer.kind}`);
    return { layout: layoutOf(answer.placed, graph) };
  });
  return {
    async svg({ graph, looks, name }) {
      const found = await layouts.find(graph);
      return 'refused' in found ? found : { svg: drawSvg({ graph, looks, name, layout: found.layout }) };
    },
    async png({ graph, looks, name }) {
      const found = await layouts.find(graph);
      if ('refused' in found) return found;
      if (!isReadable(found.layout)) return { refused: tooSmall(found.layout) };
      const shapes = drawShapes({ graph, looks, name, layout: found.layout });
      const answer = await turns.send({ kind: 'png', shapes });
      if ('refused' in answer) return answer;
      if (answer.kind !== 'png') throw new Error(`asked for a PNG, got ${answer.kind}`);
      return { png: answer.png };
    },
    close: () => turns.close(),
  };
}

function tooSmall({ width, height }: Layout): Refusal {
  const message = `the picture is ${width} by ${height} points: in a PNG of the largest size nobody could read its letters. Draw an SVG, hide intermediate resources or group parallel jobs`;
  return { reason: 'too-large', message };
}

interface Turns {
  send(request: WorkerRequest): Promise<WorkerAnswer | { refused: Refusal }>;
  close(): Promise<void>;
}

/** Whoever comes then is told at once: the wait would be longer than their patience. */
const MOST_WAITING = 20;
const BUSY = {
  refused: { reason: 'busy', message: 'too many pictures are being drawn at once: try again in a moment' },
} as const;

/** One request after another, by a process that is started when it is needed. */
function createTurns(timeLimitMs: number, idleMs: number): Turns {
  let drawing: DrawingProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let closed = false;
  let waiting = 0;

  const rest = async (): Promise<void> => {
    clearTimeout(idle);
    const resting = drawing;
    drawing = undefined;
    await resting?.stop();
  };
  const run = async (request: WorkerRequest): Promise<WorkerAnswer | { refused: Refusal }> => {
    if (closed) return { refused: { reason: 'fault', message: 'the drawing was ended' } };
    clearTimeout(idle);
    drawing ??= startDrawing();
    const used = drawing;
    const answer = await used.send(request, timeLimitMs);
    if ('refused' in answer && drawing === used) drawing = undefined;
    idle = setTimeout(() => void rest(), idleMs);
    idle.unref();
    return answer;
  };
  return {
    async send(request) {
      if (waiting >= MOST_WAITING) return BUSY;
      waiting += 1;
      const answer = last.then(() => run(request)).finally(() => (waiting -= 1));
      last = answer.catch(() => undefined);
      return await answer;
    },
    async close() {
      closed = true;
      await rest();
    },
  };
}
