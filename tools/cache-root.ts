import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The folder of cached build results, of the embedded cluster's state and of the demonstration's credentials.
 * By default it is outside the checkout, so that a fresh clone finds them too.
 */
export function cacheRoot(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return env['MILLRACE_CACHE'] || join(base, 'millrace');
}
