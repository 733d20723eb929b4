import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { requireFound } from '#adapters/http/api/found.ts';
import { route, type Route } from '#adapters/http/server/route.ts';

const TYPES = new Map([
  ['css', 'text/css; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
]);

/** The files that pages load, by the names that `tools/dist` gives them. */
type AssetName = 'styles.css' | 'theme.js' | 'live.js' | PageScript;

/** The script of a page that draws in the browser: `src/web/<name>-page.tsx`. */
export type PageScript = `${string}-page.js`;

interface Asset {
  file: string;
  type: string;
  text: string;
}

interface Assets {
  byFile: ReadonlyMap<string, Asset>;
  byName: ReadonlyMap<string, Asset>;
}

/** Reads the assets beside the bundled program, or from `dist/web` if the program runs from its sources. */
export function readAssets(): Assets {
  const bundledFolder = fileURLToPath(new URL('web/', import.meta.url));
  const folder = existsSync(bundledFolder)
    ? bundledFolder
    : fileURLToPath(new URL('../../../../dist/web/', import.meta.url));
  if (!existsSync(`${folder}assets.json`))
    throw new Error(`The style and scripts of the pages are missing in ${folder}. Run \`make dist\`.`);
  const byFile = new Map(
    readdirSync(folder).flatMap((file): [string, Asset][] => {
      const type = TYPES.get(file.split('.').at(-1) ?? '');
      return type === undefined ? [] : [[file, { file, type, text: readFileSync(folder + file, 'utf8') }]];
    }),
  );
  const names: Record<string, string> = JSON.parse(readFileSync(`${folder}assets.json`, 'utf8'));
  const byName = new Map(
    Object.entries(names).flatMap(([name, file]): [string, Asset][] => {
      const asset = byFile.get(file);
      return asset === undefined ? [] : [[name, asset]];
    }),
  );
  return { byFile, byName };
}

let assets: Assets | undefined;

/** Returns the path of a style or script. A file with another text has another path. */
export function assetUrl(name: AssetName): string {
  assets ??= readAssets();
  return `/assets/${assets.byName.get(name)?.file ?? ''}`;
}

/** Matches the file of an asset: its name, a hash, its extension. */
const HASHED_FILE = /^([a-z-]{1,30})-[\w-]{8}\.(css|js)$/;

/**
 * Returns the asset with this file name, or the asset of this release with the same name but another hash.
 * During an update, the browser may send the requests of a page to a replica with another release.
 */
export function findAsset({ byFile, byName }: Assets, file: string): Asset | undefined {
  const { 1: name = '', 2: extension = '' } = HASHED_FILE.exec(file) ?? [];
  return byFile.get(file) ?? byName.get(`${name}.${extension}`);
}

export function assetRoutes(): Route[] {
  assets ??= readAssets();
  const allAssets = assets;
  return [
    route({
      method: 'GET',
      url: '/assets/:name',
      needs: 'nothing',
      about: 'Style and scripts of the pages.',
      schema: {
        params: Type.Object({ name: Type.String({ maxLength: 50 }) }),
        response: { 200: { content: { 'text/css': { schema: Type.String() } } } },
      },
      handler: async ({ params }, reply) => {
        const { file, type, text } = requireFound(findAsset(allAssets, params.name), `Asset ${params.name}`);
        // The file name is that of another release, so its content must not be cached under this name.
        const caching = file === params.name ? 'public, max-age=31536000, immutable' : 'no-cache';
        return reply.header('cache-control', caching).type(type).serializer(String).send(text);
      },
    }),
  ];
}
