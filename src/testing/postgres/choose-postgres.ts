import { getContainerRuntimeClient } from 'testcontainers';

export type PostgresEngine = 'binaries' | 'container';

/**
 * Chooses a container if an engine with a Docker-compatible socket runs, and Postgres binaries from npm
 * otherwise. MILLRACE_TEST_POSTGRES overrides this.
 */
export async function choosePostgres(
  variable: string | undefined,
  find: () => Promise<unknown> = getContainerRuntimeClient,
): Promise<PostgresEngine> {
  if (variable === 'binaries' || variable === 'container') return variable;
  if (variable !== undefined && variable !== '')
    throw new Error(`MILLRACE_TEST_POSTGRES is "${variable}"; it can be "binaries" or "container".`);
  return await find().then(
    () => 'container',
    () => 'binaries',
  );
}
