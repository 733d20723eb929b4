import type { TeamSecrets } from '#flows/builds/session-ports.ts';
import type { Environment } from './engine.ts';

const PREFIX = 'MILLRACE_VAR_';

interface SecretSources {
  /** Values from the command line or the manifest, by variable. */
  secrets: ReadonlyMap<string, string>;
  environment: Environment;
  /**
   * For each variable whose secret is of the type `env`, the name of the environment variable that has the
   * value.
   */
  environmentKeys: ReadonlyMap<string, string>;
}

/** Values of secret variables from `secrets` and from the environment, and from nowhere else. */
export function localSecrets({ secrets, environment, environmentKeys }: SecretSources): TeamSecrets {
  const valueOf = (name: string): string | undefined =>
    secrets.get(name) ?? environment[`${PREFIX}${name}`] ?? environment[environmentKeys.get(name) ?? ''];
  const missingReason = (name: string): string => {
    const key = environmentKeys.get(name);
    const variables = `${PREFIX}${name}${key === undefined ? '' : ` or ${key}`}`;
    return `The secret ${name} has no value: give it with --var ${name}=<value>, or set ${variables}.`;
  };
  return {
    read: async (_owner, lookups) => {
      const values = new Map<string, string>();
      const missing = new Map<string, string>();
      for (const { name } of lookups) {
        const value = valueOf(name);
        if (value === undefined) missing.set(name, missingReason(name));
        else values.set(name, value);
      }
      return { answer: 'read', values, missing };
    },
  };
}
