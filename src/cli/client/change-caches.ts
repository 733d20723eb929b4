import { printResult, renderTable, timeOf } from '#cli/output.ts';
import { EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { requestPath } from './api.ts';
import { connect } from './connect.ts';
import type { CacheJson } from './response-types.ts';
import type { TeamOptions } from './team-options.ts';

export interface CachesOptions extends TeamOptions {
  pipeline: string;
}

export async function printCaches(options: CachesOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const caches = await api.get<CacheJson[]>(pathOf(options));
  if (caches.length === 0) terminal.err(`No resource or job of ${nameOf(options)} has a cache.\n`);
  await printResult(caches, options, terminal, {
    render: renderCaches,
    names: (items) => items.map(({ resource }) => `cache/${options.team}/${options.pipeline}/${resource}`),
  });
  return EXIT.success;
}

export async function clearCache(cache: string, options: CachesOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  await api.send('DELETE', `${pathOf(options)}${requestPath(cache)}`);
  terminal.err(`Cleared the cache of ${cache} in ${nameOf(options)}.\n`);
  return EXIT.success;
}

function renderCaches(caches: readonly CacheJson[], paint: Paint, isWide: boolean): string {
  if (caches.length === 0) return '';
  const rows = caches.map(
    ({ resource, size_bytes: bytes, last_used_at: lastUse, used_by: user, reason = '' }) => [
      resource,
      bytes === undefined ? '' : sizeOf(bytes),
      lastUse === undefined ? 'never' : timeOf(lastUse),
      // `reason` says why the last build or check that wanted the cache ran without it.
      user ?? reason,
      ...(isWide ? [String(bytes ?? ''), user === undefined ? '' : reason] : []),
    ],
  );
  return renderTable(['CACHE', 'SIZE', 'LAST USE', 'USED BY', 'BYTES', 'WHY LEFT OUT'], rows, paint);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

function pathOf({ team, pipeline }: CachesOptions): string {
  return requestPath('teams', team, 'pipelines', pipeline, 'caches');
}

function nameOf({ team, pipeline }: CachesOptions): string {
  return `pipeline ${team}/${pipeline}`;
}
