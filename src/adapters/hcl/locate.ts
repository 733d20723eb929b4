import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';

export const engineFolder = fileURLToPath(new URL('engine', import.meta.url));

/**
 * Returns the path in the cache, outside the repository, of the engine that is built from these sources. It
 * contains a hash of the sources. The file may not exist yet.
 */
export function cachedEngine(): string {
  const hash = createHash('sha256');
  const sources = globSync(['**/*.go', 'go.{mod,sum}'], { cwd: engineFolder }).filter(
    (file) => !file.endsWith('_test.go'),
  );
  for (const file of sources.toSorted()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(engineFolder, file)))
      .update('\0');
  }
  const cache = env['MILLRACE_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'millrace');
  return join(cache, 'hcl', hash.digest('hex').slice(0, 32), 'hcl.wasm');
}

/**
 * Returns the path of the engine: `file` if it is given, otherwise the engine beside the bundled program or,
 * in the sources, the engine that `build.ts` has built. Throws if that file does not exist.
 */
export function findEngine(file?: string): string {
  const bundled = fileURLToPath(new URL('hcl.wasm', import.meta.url));
  const fromSources = existsSync(engineFolder) && !existsSync(bundled);
  const engine = file ?? (fromSources ? cachedEngine() : bundled);
  if (existsSync(engine)) return engine;
  throw new Error(`The HCL engine is missing: ${engine}. Build it: node src/adapters/hcl/build.ts`);
}
