import { globSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { build, type InlineConfig } from 'vite';
import { checkout } from '#tools/checkout.ts';

const source = join(checkout, 'src/web');

/**
 * What pages load: the style, the scripts of every page, and `<name>-page.ts` or `.tsx` of pages that need
 * more.
 */
const entries = [
  'styles.css',
  'theme.ts',
  'live.ts',
  ...globSync('*-page.{ts,tsx}', { cwd: source }).toSorted(),
];

const scriptName = '[name]-[hash].js';

/**
 * Builds the style and the scripts of the pages into a folder. Each file has a hash in its name, and
 * `assets.json` says which file each asset is. No script loads another: during an update, a page may get its
 * script from another release, whose other files have other names.
 */
export async function buildWeb(folder: string): Promise<void> {
  // With another value, such as that of a shell or of Jest, Vite builds for development.
  process.env['NODE_ENV'] = 'production';
  for (const [index, entry] of entries.entries()) await build(configurationOf(entry, folder, index === 0));
  const files = await readdir(folder);
  const names = Object.fromEntries(entries.map((entry) => nameOf(entry, files)));
  if (files.length !== entries.length)
    throw new Error(`A script of src/web loads another one: ${files.join(', ')}.`);
  await writeFile(join(folder, 'assets.json'), `${JSON.stringify(names, undefined, 2)}\n`);
}

const configurationOf = (entry: string, folder: string, isFirst: boolean): InlineConfig => ({
  root: source,
  configFile: false,
  envDir: false,
  publicDir: false,
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: folder,
    emptyOutDir: isFirst,
    assetsDir: '.',
    target: 'es2024',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The policy of our pages allows no data URLs.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: join(source, entry),
      output: {
        entryFileNames: scriptName,
        chunkFileNames: scriptName,
        assetFileNames: '[name]-[hash].[ext]',
      },
    },
  },
});

/** The name that pages use for an asset, and its file. */
function nameOf(entry: string, files: readonly string[]): [name: string, file: string] {
  const ending = extname(entry) === '.css' ? '.css' : '.js';
  const name = basename(entry, extname(entry));
  // A hash has eight characters; the name of another asset may begin with this one.
  const asset = files.find(
    (file) => file.startsWith(`${name}-`) && file.length === name.length + 9 + ending.length,
  );
  if (asset === undefined) throw new Error(`Vite made no file of src/web/${entry}.`);
  return [`${name}${ending}`, asset];
}
