import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FONT = 'DejaVuSans.ttf';

/** Returns the path of the font: beside the bundled program if there is one, otherwise in the npm package. */
export function findFont(): string {
  const bundled = fileURLToPath(new URL(FONT, import.meta.url));
  return existsSync(bundled) ? bundled : fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${FONT}`));
}

/** The program of the drawing process. It is beside the bundle, or beside this source file. */
export const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './images-worker.js',
  import.meta.url,
);
