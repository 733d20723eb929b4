import { getContainerRuntimeClient } from 'testcontainers';

export type PostgresEngine = 'binaries' | 'container';

/**
 * Chooses a container if an engine with a Docker-compatible socket runs, and Postgres binaries from npm
 * otherwise. MILLRACE_TEST_POSTGRES overrides this.
 */
export async function choosePostgres(
  wanted: string | undefined,
  find: () => Promise<unknown> = getContainerRuntimeClient,
): Promise<PostgresEngine> {
  if (wanted === 'binaries' || wanted === 'container') return wanted;
  if (wanted !== undefined && wanted !== '')
    throw new Error(`MILLRACE_TEST_POSTGRES is "${wanted}"; it can be "binaries" or "container".`);
  return await find().then(
    () => 'container',
    () => 'binaries',
  );
}
