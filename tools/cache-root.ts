import { homedir } from 'node:os';
import { join } from 'node:path';

/** Folder of what builds and the cluster keep. It is outside the checkout, so a fresh clone finds it. */
export function cacheRoot(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return env['MILLRACE_CACHE'] || join(base, 'millrace');
}
