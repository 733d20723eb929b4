import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { requireFound } from '#adapters/http/api/found.ts';
import { route, type Route } from '#adapters/http/server/route.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
/** An imported asset comes before the one that imports it. */
const TYPES = {
  'page.css': 'text/css; charset=utf-8',
  'colours.js': SCRIPT,
  'terminal.js': SCRIPT,
  'live.js': SCRIPT,
} as const;

type AssetName = keyof typeof TYPES;

/** The files of an asset that is not one file of its name. */
const PARTS = new Map([['page.css', ['palette.css', 'page.css', 'tables-and-logs.css']]]);

interface Asset {
  type: string;
  text: string;
  version: string;
}

/** Beside the bundled program, or in the sources. */
function readAssets(): Map<string, Asset> {
  const bundled = fileURLToPath(new URL('web/', import.meta.url));
  const folder = existsSync(bundled) ? bundled : fileURLToPath(new URL('../../../web/', import.meta.url));
  const read = new Map<string, Asset>();
  for (const [name, type] of Object.entries(TYPES)) {
    const files = PARTS.get(name) ?? [name];
    const text = files
      .map((file) => readFileSync(`${folder}${file}`, 'utf8'))
      .join('')
      .replaceAll(
        IMPORT,
        (_, from: string, imported: string) => `${from}${imported}?v=${read.get(imported)?.version ?? ''}`,
      );
    const version = createHash('sha256').update(text).digest('base64url').slice(0, 12);
    read.set(name, { type, text, version });
  }
  return read;
}

/** Matches imports. A script imports another by its versioned address, so that both are of one release. */
const IMPORT = /^(import [\w ,{}*$]*'\.\/)([\w-]+\.js)/gm;

let assets: Map<string, Asset> | undefined;

/** The address of a style or script; a changed text has another address. */
export function assetUrl(name: AssetName): string {
  assets ??= readAssets();
  return `/assets/${name}?v=${assets.get(name)?.version ?? ''}`;
}

export function assetRoutes(): Route[] {
  assets ??= readAssets();
  const known = assets;
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
      handler: async ({ params, query }, reply) => {
        const { type, text, version } = requireFound(known.get(params.name), `Asset ${params.name}`);
        const requested = new Map(Object.entries(Object(query))).get('v');
        // A page of an old release gets the script of the new one, but must not cache it under the old
        // address.
        const caching = requested === version ? 'public, max-age=31536000, immutable' : 'no-cache';
        return reply.header('cache-control', caching).type(type).serializer(String).send(text);
      },
    }),
  ];
}
