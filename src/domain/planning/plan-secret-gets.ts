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

/** Outside of the work directory. Templates of a runner need its name before. */
const SECRETS_WORKDIR = '/tmp/millrace-secrets';

/** The runs that these lookups of types of the pipeline need. Secrets of one place share a run. */
export function planSecretGets(
  lookups: readonly SecretLookup[],
  containers: readonly PlanContainer[],
): SecretGet[] {
  const gets = lookups.flatMap((lookup) => (lookup.get ? [{ ...lookup, get: lookup.get }] : []));
  const runs = Map.groupBy(gets, ({ source, path, config }) => JSON.stringify([source, path, config]));
  return [...runs.values()].flatMap((group) => planGet(group, containers));
}

function planGet(
  group: readonly (SecretLookup & { get: Command })[],
  containers: readonly PlanContainer[],
): SecretGet[] {
  const [first] = group;
  if (first === undefined) return [];
  const { get, path, config } = first;
  const own = containers.flatMap(({ forSecrets, ...container }) => (forSecrets === true ? [container] : []));
  const workdir = get.runner === 'custom' ? { workdir: SECRETS_WORKDIR } : {};
  const command = planCommand(get, own, workdir.workdir);
  if (command === undefined) return [];
  const params = { ...config, ...(path === '' ? {} : { path }) };
  return [
    {
      values: group.map(({ name, key }) => ({ name, key })),
      command,
      ...workdir,
      env: {
        ...commandEnvironment(get),
        ...variablesIn('secretGet', {
          ...defined({ WORKDIR: workdir.workdir }),
          ...prefixed('param_', params),
        }),
      },
    },
  ];
}
