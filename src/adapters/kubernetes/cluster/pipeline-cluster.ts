import { createHash } from 'node:crypto';
import { orAbsent, orThrow } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { PipelineCustomResource } from '#adapters/kubernetes/kinds/custom-resources.ts';
import type { Installation, TeamRules } from '#adapters/kubernetes/manifests/installation.ts';
import { LABEL, nodeLabel } from '#adapters/kubernetes/manifests/labels.ts';
import type { TeamLimits } from '#adapters/kubernetes/manifests/team-rules.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import type { GivenVariable } from '#domain/pipeline/variables.ts';
import type {
  ConfigurationAnswer,
  PipelineCluster,
  PipelineManifest,
} from '#flows/pipelines/manifest-ports.ts';
import { applyCheckCronJobs } from './check-cron-jobs.ts';
import { renamedObjects } from './renamed-objects.ts';

export interface PipelineClusterOptions {
  client: ApiClient;
  installation(): Installation;
  rulesOf(team: string): TeamRules | undefined;
  limitsOf(team: string): TeamLimits;
  agentKey: Buffer;
}

const MAX_CONFIG_BYTES = 256 * 1024;

type Missing = ConfigurationAnswer & { answer: 'missing' };
type Variables = Record<string, GivenVariable>;

export function pipelineCluster(options: PipelineClusterOptions): PipelineCluster {
  return {
    ...renamedObjects(options.client),
    configurationOf: (pipeline) => configurationOf(pipeline, options.client),
    sourceRulesOf: (team) => options.rulesOf(team)?.sources ?? {},
    pipelineLimitOf: (team) => options.limitsOf(team).pipelines,
    applyChecks: (pipeline) => applyCheckCronJobs(pipeline, options),
    podRulesOf: (team) => options.rulesOf(team),
    nodeLabel,
  };
}

async function configurationOf(pipeline: PipelineManifest, client: ApiClient): Promise<ConfigurationAnswer> {
  const { namespace, pipeline: name } = pipeline;
  const object = orThrow(
    await client.get(KINDS.pipelines, { namespace, name }),
    `reading the Pipeline ${namespace}/${name}`,
  );
  const config = await configText(object.spec, namespace, client);
  if (typeof config !== 'string') return config;
  if (Buffer.byteLength(config) > MAX_CONFIG_BYTES) {
    const message = `The text has ${Buffer.byteLength(config)} bytes; at most ${MAX_CONFIG_BYTES} are allowed.`;
    return missing('ConfigTooLarge', message);
  }
  const variables: Variables = {};
  for (const source of object.spec.varsFrom ?? []) {
    const problem = await readSource(source, namespace, client, variables);
    if (problem !== undefined) return problem;
  }
  for (const [variable, value] of Object.entries(object.spec.vars ?? {})) variables[variable] = { value };
  return { answer: 'found', config, variables, digest: digestOf(config, variables) };
}

async function configText(
  spec: Wire<PipelineCustomResource>['spec'],
  namespace: string,
  client: ApiClient,
): Promise<string | Missing> {
  const ref = spec.configFrom?.configMapKeyRef;
  if (ref === undefined) return spec.config ?? '';
  const found = orAbsent(
    await client.get(KINDS.configMaps, { namespace, name: ref.name }),
    `reading the ConfigMap ${namespace}/${ref.name}`,
  );
  if (found === undefined)
    return missing('ConfigMapNotFound', `There is no ConfigMap ${ref.name} in ${namespace}.`);
  return found.data?.[ref.key] ?? missing('KeyNotFound', `The ConfigMap ${ref.name} has no key ${ref.key}.`);
}

type VariableSource = NonNullable<Wire<PipelineCustomResource>['spec']['varsFrom']>[number];

/**
 * Adds the variables of the source to `variables`. Returns the problem if the source cannot be read, and
 * otherwise undefined.
 */
async function readSource(
  source: VariableSource,
  namespace: string,
  client: ApiClient,
  variables: Variables,
): Promise<Missing | undefined> {
  if (source.secretRef !== undefined) return readSecret(source.secretRef.name, namespace, client, variables);
  const name = source.configMapRef?.name ?? '';
  const found = orAbsent(
    await client.get(KINDS.configMaps, { namespace, name }),
    `reading the ConfigMap ${namespace}/${name}`,
  );
  if (found === undefined)
    return missing('ConfigMapNotFound', `There is no ConfigMap ${name} in ${namespace}.`);
  for (const [variable, value] of Object.entries(found.data ?? {})) variables[variable] = { value };
  return undefined;
}

/**
 * Adds a placeholder for each key of the Secret. The internal gateway passes the values from the Secret to
 * the Pod.
 */
async function readSecret(
  name: string,
  namespace: string,
  client: ApiClient,
  variables: Variables,
): Promise<Missing | undefined> {
  const found = orAbsent(
    await client.get(KINDS.secrets, { namespace, name }),
    `reading the Secret ${namespace}/${name}`,
  );
  if (found === undefined) return missing('SecretNotFound', `There is no Secret ${name} in ${namespace}.`);
  if (found.metadata?.labels?.[LABEL.usable] !== 'true') {
    const labelCommand = `kubectl -n ${namespace} label secret ${name} ${LABEL.usable}=true`;
    return missing(
      'SecretNotUsable',
      `The Secret ${name} does not allow pipelines to use it. To allow it: ${labelCommand}`,
    );
  }
  for (const key of Object.keys(found.data ?? {})) {
    variables[key] = { value: makeSecretPlaceholder(`${name}/${key}`), secret: true };
  }
  return undefined;
}

function missing(reason: Missing['reason'], message: string): Missing {
  return { answer: 'missing', reason, message };
}

function digestOf(config: string, variables: Variables): string {
  const sorted = Object.entries(variables).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([config, sorted]))
    .digest('hex');
}
