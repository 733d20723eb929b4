import { defined } from '#defined';
import type { Command } from '#domain/pipeline/command.ts';
import { variablesIn } from '#domain/pipeline/environment-table.ts';
import type { SecretLookup } from './next-lookups.ts';
import { commandEnvironment, planCommand, prefixed } from './plan-command.ts';
import type { PlanCommand, PlanContainer } from './plan.ts';

/** One run of the get of a secret type. */
export interface SecretGet {
  /** The secrets that are in its output, with the key of each. */
  values: { name: string; key: string }[];
  command: PlanCommand;
  /** Absent: a new, empty directory. */
  workdir?: string;
  env: Record<string, string>;
}

/**
 * Working directory of a get with a custom runner, whose templates contain its name. It is outside of the
 * work directory of the steps.
 */
const SECRETS_WORKDIR = '/tmp/millrace-secrets';

/**
 * The gets to run for the lookups whose types the pipeline defines. Secrets with the same source, path and
 * configuration share a get.
 */
export function planSecretGets(
  lookups: readonly SecretLookup[],
  containers: readonly PlanContainer[],
): SecretGet[] {
  const gets = lookups.flatMap((lookup) => (lookup.get ? [{ ...lookup, get: lookup.get }] : []));
  const groups = Map.groupBy(gets, ({ source, path, config }) => JSON.stringify([source, path, config]));
  return [...groups.values()].flatMap((group) => planGet(group, containers));
}

function planGet(
  group: readonly (SecretLookup & { get: Command })[],
  containers: readonly PlanContainer[],
): SecretGet[] {
  const [first] = group;
  if (first === undefined) return [];
  const { get, path, config } = first;
  const secretContainers = containers.flatMap(({ forSecrets, ...container }) =>
    forSecrets === true ? [container] : [],
  );
  const workdir = get.runner === 'custom' ? SECRETS_WORKDIR : undefined;
  const command = planCommand(get, secretContainers, workdir);
  if (command === undefined) return [];
  const params = { ...config, ...(path === '' ? {} : { path }) };
  return [
    {
      values: group.map(({ name, key }) => ({ name, key })),
      command,
      ...defined({ workdir }),
      env: {
        ...commandEnvironment(get),
        ...variablesIn('secretGet', {
          ...defined({ WORKDIR: workdir }),
          ...prefixed('param_', params),
        }),
      },
    },
  ];
}
