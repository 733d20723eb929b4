import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { graphOf, type GraphOptions } from '#domain/graph/graph-of.ts';
import { nodeStyles } from '#domain/graph/node-style.ts';
import { writeDot } from '#domain/graph/write-dot.ts';
import type { PictureToDraw } from '#flows/views/overview-ports.ts';
import { explain } from './explain.ts';
import { pickPipeline, type PickOptions } from './pick-pipeline.ts';
import { CommandError, EXIT, type Exit, type Terminal } from './terminal.ts';

const FORMATS = ['dot', 'svg', 'png'] as const;
type PictureFormat = (typeof FORMATS)[number];

export interface GraphVerbOptions extends PickOptions, GraphOptions {
  output?: PictureFormat;
  /** A file; standard output if absent. */
  out?: string;
}

/** Draws a pipeline as the gateway does, without the states of jobs. */
export async function graph(file: string, options: GraphVerbOptions, terminal: Terminal): Promise<Exit> {
  const format = options.output ?? formatOf(options.out);
  if (format === 'png' && options.out === undefined && terminal.isScreen) {
    throw new CommandError('a terminal cannot show a PNG: name a file with -o, or pipe the output');
  }
  const picked = await pickPipeline(file, options, terminal);
  if (!picked) return EXIT.failure;
  const graphToDraw = graphOf(picked.pipeline, options);
  const styles = nodeStyles(graphToDraw, { jobs: new Map(), resources: new Map() });
  const picture = await draw(format, { graph: graphToDraw, styles, name: picked.name });
  if (options.out === undefined) terminal.out(picture);
  else await save(options.out, picture);
  return EXIT.success;
}

/** Chooses the format by the file name's extension; `dot` without one. */
function formatOf(out = ''): PictureFormat {
  const ending = extname(out).toLowerCase();
  if (ending === '' || ending === '.gv') return 'dot';
  const format = FORMATS.find((known) => ending === `.${known}`);
  if (format) return format;
  throw new CommandError(`${out}: unknown picture format ${ending}: use .dot, .svg or .png, or add --output`);
}

/** Longer than the gateway's limit, because only this command waits for the picture. */
const DRAW_TIME_LIMIT_MS = 60_000;

async function draw(format: PictureFormat, request: PictureToDraw): Promise<string | Uint8Array> {
  if (format === 'dot') return writeDot(request.graph, request.name, request.styles);
  const { createPictures } = await import('#adapters/images/pictures.ts');
  const pictures = createPictures({ timeLimitMs: DRAW_TIME_LIMIT_MS });
  try {
    const result = format === 'svg' ? await pictures.svg(request) : await pictures.png(request);
    if ('refused' in result) throw new CommandError(result.refused.message);
    return 'svg' in result ? result.svg : result.png;
  } finally {
    await pictures.close();
  }
}

async function save(file: string, picture: string | Uint8Array): Promise<void> {
  try {
    await writeFile(file, picture);
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${explain(error)}`);
  }
}
