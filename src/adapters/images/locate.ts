import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FONT = 'DejaVuSans.ttf';

/** The font beside the bundled program, or the one of the npm package. */
export function findFont(): string {
  const bundled = fileURLToPath(new URL(FONT, import.meta.url));
  return existsSync(bundled) ? bundled : fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${FONT}`));
}

/** The program of the drawing process: beside the bundle, or this source file's neighbour. */
export const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './images-worker.js',
  import.meta.url,
);
