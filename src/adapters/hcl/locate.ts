import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';

export const engineFolder = fileURLToPath(new URL('engine', import.meta.url));

/** Path of the engine for these sources: outside the repository, by the hash of its inputs. */
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
 * The given file, the engine beside the bundled program, or the one that `build.ts` built from these sources.
 */
export function findEngine(given?: string): string {
  const bundled = fileURLToPath(new URL('hcl.wasm', import.meta.url));
  const fromSources = existsSync(engineFolder) && !existsSync(bundled);
  const engine = given ?? (fromSources ? cachedEngine() : bundled);
  if (existsSync(engine)) return engine;
  throw new Error(`The HCL engine is missing: ${engine}. Build it: node src/adapters/hcl/build.ts`);
}
