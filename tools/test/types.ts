import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { cacheRoot } from '#tools/cache-root.ts';
import { checkout } from '#tools/checkout.ts';
import type { Counts } from './counts.ts';
import { gate } from './programs.ts';

/**
 * Checks the types of a project, a `tsconfig.json` of this checkout. What the compiler learns about unchanged
 * files stays in the cache, so the next run is faster.
 */
export function checkTypes(project: string): Promise<Counts> {
  return gate('tsc', ['-p', project, '--incremental', '--tsBuildInfoFile', buildInfoFile(project)]);
}

/** Each checkout has its own: the file holds paths, and two checkouts may be at different commits. */
function buildInfoFile(project: string): string {
  const key = createHash('sha256').update(join(checkout, project)).digest('hex').slice(0, 16);
  return join(cacheRoot(), 'types', `${key}.tsbuildinfo`);
}
