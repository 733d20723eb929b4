import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where builds and the cluster store files: outside the checkout, so that a fresh clone finds them too. */
export function cacheRoot(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return env['MILLRACE_CACHE'] || join(base, 'millrace');
}
