import { writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { build, type Rolldown } from 'vite';
import { checkout } from '#tools/checkout.ts';

const source = join(checkout, 'src/web');

/** What pages load. */
const entries = ['styles.css', 'live.ts'];

const scriptName = '[name]-[hash].js';

/**
 * Builds the style and the scripts of the pages into a folder. Each file has a hash in its name, and
 * `assets.json` says which file each asset is.
 */
export async function buildWeb(folder: string): Promise<void> {
  const built = await build({
    root: source,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: true,
      assetsDir: '.',
      target: 'es2024',
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // The policy of our pages allows no data URLs.
      assetsInlineLimit: 0,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: entries.map((file) => join(source, file)),
        output: {
          entryFileNames: scriptName,
          chunkFileNames: scriptName,
          assetFileNames: '[name]-[hash].[ext]',
        },
      },
    },
  });
  if (Array.isArray(built) || !('output' in built)) throw new Error('Vite made no single build.');
  const names = namesOf(built.output);
  await writeFile(join(folder, 'assets.json'), `${JSON.stringify(names, undefined, 2)}\n`);
}

/** The file of each asset, by the name that pages use. */
function namesOf(files: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): Record<string, string> {
  const named = entries.map((entry) => {
    const ending = extname(entry) === '.css' ? '.css' : '.js';
    const name = basename(entry, extname(entry));
    const found = files.find(({ fileName }) => fileName.startsWith(`${name}-`) && fileName.endsWith(ending));
    if (found === undefined) throw new Error(`Vite made no file of src/web/${entry}.`);
    return [`${name}${ending}`, found.fileName] as const;
  });
  return Object.fromEntries(named);
}
