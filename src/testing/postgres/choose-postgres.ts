import { getContainerRuntimeClient } from 'testcontainers';

export type PostgresSource = 'binaries' | 'container';

/**
 * Chooses a container if a container runtime with a Docker-compatible socket runs, and Postgres binaries from
 * npm otherwise. MILLRACE_TEST_POSTGRES overrides this.
 */
export async function choosePostgres(
  override: string | undefined,
  findContainerRuntime: () => Promise<unknown> = getContainerRuntimeClient,
): Promise<PostgresSource> {
  if (override === 'binaries' || override === 'container') return override;
  if (override !== undefined && override !== '')
    throw new Error(`MILLRACE_TEST_POSTGRES is "${override}"; it can be "binaries" or "container".`);
  return await findContainerRuntime().then(
    () => 'container',
    () => 'binaries',
  );
}
