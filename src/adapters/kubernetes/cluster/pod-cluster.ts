import { createHash } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import { ApiError, orAbsent, orThrow, type ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { ClusterCache } from '#adapters/kubernetes/informers/cluster-cache.ts';
import { podFacts } from '#adapters/kubernetes/informers/pod-projection.ts';
import { buildPod } from '#adapters/kubernetes/manifests/build-pod.ts';
import { checkPod } from '#adapters/kubernetes/manifests/check-pod.ts';
import type { Installation, TeamRules } from '#adapters/kubernetes/manifests/installation.ts';
import { nodeLabel } from '#adapters/kubernetes/manifests/labels.ts';
import { buildPodName } from '#adapters/kubernetes/manifests/names.ts';
import { shapeOfPod, warmPod } from '#adapters/kubernetes/manifests/warm-pod.ts';
import { defined } from '#defined';
import { AGENT_ENVIRONMENT } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { PodKind } from '#domain/planning/admit-pod.ts';
import type { Sharing } from '#domain/scheduling/pace-starts.ts';
import type { AdmittedCheckPod, AdmittedPod, Cluster, CreatePodAnswer } from '#flows/pods/ports.ts';
import type { WarmPodToCreate } from '#flows/pods/warm-ports.ts';
import type { CheckRunFacts, PendingBuild } from '#flows/pods/workloads.ts';
import { cacheVolume, prepareClaim } from './cache-claims.ts';
import { isSealed, withSeal } from './seal.ts';
import { shimKeys } from './shim-keys.ts';

export interface PodClusterOptions {
  client: Pick<ApiClient, 'create' | 'get' | 'delete'>;
  installation(): Installation;
  cache: ClusterCache;
  /**
   * Returns the signed nonce that the agent of this session sends to the gateway. The same session always has
   * the same nonce.
   */
  nonceOf(session: AgentSession): string;
  starts: {
    /** How many Pods may be starting on a node at a time. */
    perNode(): number;
    sharing(namespace: string): Sharing;
  };
  /**
   * The secrets of shims and the seals are derived from this key, so that creating a Pod again gives it the
   * same ones.
   */
  agentKey: Buffer;
}

/** Creates, finds and deletes the Pods of builds and checks, and warm Pods. */
export function podCluster(options: PodClusterOptions): Cluster {
  const { client, cache } = options;
  /**
   * How many requests to create a Pod are running, by kind and namespace. The cache does not have these Pods
   * yet.
   */
  const beingCreated = new Map<string, number>();

  const create = async (pod: V1Pod, kind: PodKind | 'warm'): Promise<CreatePodAnswer> => {
    const desired = withSeal(options.agentKey, wirePod(pod));
    const key = `${kind} ${desired.metadata?.namespace}`;
    beingCreated.set(key, (beingCreated.get(key) ?? 0) + 1);
    try {
      return await createOrFind(options, desired);
    } finally {
      beingCreated.set(key, (beingCreated.get(key) ?? 1) - 1);
    }
  };

  return {
    teamPods(name) {
      const team = cache.team(name);
      if (team === undefined) return undefined;
      const { rules, runningBuilds, runningChecks } = team;
      const { caches, warm } = rules;
      return { rules, limits: { build: runningBuilds, check: runningChecks }, ...defined({ caches, warm }) };
    },
    nodeLabel,
    runningPods(name, kind) {
      const namespace = cache.team(name)?.rules.namespace;
      if (namespace === undefined) return 0;
      const count = cache.runningPods(namespace, kind);
      return count === undefined ? undefined : count + (beingCreated.get(`${kind} ${namespace}`) ?? 0);
    },
    podsListed: (namespace) => cache.podsListed(namespace),
    createBuildPod: async (build, admitted) => await create(podOfBuild(build, admitted, options), 'build'),
    createCheckPod: async (run, admitted) => await create(podOfRun(run, admitted, options), 'check'),
    warmTeams: () => cache.warmTeams(),
    shapeOf(team, admitted) {
      const text = shapeOfPod(admitted, rulesOf(team, options), options.installation());
      return createHash('sha256').update(text).digest('hex');
    },
    async createWarmPod(warm, admitted) {
      const desired = podOfWarm(warm, admitted, options);
      return { ...(await create(desired, 'warm')), name: desired.metadata?.name ?? '' };
    },
    prepareClaim: async (claim) => await prepareClaim(claim, options),
    async findBuildPod(attempt) {
      const { namespace, id: build } = attempt;
      const name = attempt.podName ?? buildPodName(attempt);
      const answer = await client.get(KINDS.pods, { namespace, name });
      const found = orAbsent(answer, `reading the Pod ${namespace}/${name}`);
      const work = { kind: 'build', build, attempt: attempt.attempt } as const;
      return found && { ...podFacts(found), work, sealed: isSealed(options.agentKey, found) };
    },
    nodes: (selector) => cache.nodes(selector),
    startsPerNode: () => options.starts.perNode(),
    sharing(name) {
      const namespace = cache.team(name)?.rules.namespace;
      return namespace === undefined ? 'alone' : options.starts.sharing(namespace);
    },
    deletePod: deletionOfPods(options),
  };
}

function deletionOfPods({ client }: PodClusterOptions): Cluster['deletePod'] {
  return async (namespace, name, uid, graceSeconds) => {
    const answer = await client.delete(KINDS.pods, { namespace, name }, { uid, graceSeconds });
    // 409: a Pod with this name has another uid, so the Pod to delete no longer exists.
    if (!answer.ok && answer.status !== 409)
      throw new ApiError(`deleting the Pod ${namespace}/${name}`, answer);
  };
}

function podOfBuild(build: PendingBuild, admitted: AdmittedPod, options: PodClusterOptions): V1Pod {
  const nonce = options.nonceOf({ kind: 'build', build: build.id, attempt: build.attempt });
  const owner = options.cache.pipelineOwner(build.namespace, build.pipeline);
  return buildPod(
    {
      ...admitted,
      build,
      nonce,
      shim: shimKeys(options.agentKey, nonce),
      ...defined({ owner }),
      caches: admitted.caches.map((cache) => cacheVolume(cache, owner)),
    },
    { ...rulesOf(build.team, options), namespace: build.namespace },
    options.installation(),
  );
}

function podOfWarm(warm: WarmPodToCreate, admitted: AdmittedPod, options: PodClusterOptions): V1Pod {
  const nonce = options.nonceOf({ kind: 'warm', warm: warm.id });
  const { containers, placement, deadlineSeconds } = admitted;
  const shim = shimKeys(options.agentKey, nonce);
  const rules = { ...rulesOf(warm.team, options), namespace: warm.namespace };
  const { id, team, idleSeconds } = warm;
  const work = { id, team, idleSeconds, containers, placement, deadlineSeconds, nonce, shim };
  return warmPod(work, rules, options.installation());
}

function podOfRun(run: CheckRunFacts, admitted: AdmittedCheckPod, options: PodClusterOptions): V1Pod {
  const nonce = options.nonceOf({ kind: 'checks', run: run.run });
  const owner = options.cache.pipelineOwner(run.namespace, run.pipeline);
  return checkPod(
    {
      ...run,
      ...admitted,
      nonce,
      shim: shimKeys(options.agentKey, nonce),
      ...defined({ owner }),
      caches: admitted.caches.map((cache) => cacheVolume(cache, owner)),
    },
    { ...rulesOf(run.team, options), namespace: run.namespace },
    options.installation(),
  );
}

/**
 * Throws if the Team does not exist. For builds and checks it does exist, because its rules have admitted the
 * Pod in the same turn of the event loop. A Team may be deleted while a warm Pod gets its row.
 */
function rulesOf(name: string, { cache }: PodClusterOptions): TeamRules {
  const team = cache.team(name);
  if (team === undefined) throw new Error(`Team ${name} is not ready yet.`);
  return team.rules;
}

/** Creates the Pod, or finds the one that Millrace created earlier with the same name. */
async function createOrFind(options: PodClusterOptions, desired: Wire<V1Pod>): Promise<CreatePodAnswer> {
  const answer = await options.client.create(KINDS.pods, desired);
  if (answer.ok) {
    options.cache.created(answer.value);
    return { answer: 'created', uid: answer.value.metadata?.uid ?? '' };
  }
  if (answer.status === 409 && answer.reason === 'AlreadyExists')
    return compareWithExisting(options, desired);
  return refusal(desired, answer);
}

/**
 * A Pod with that name exists: Millrace created it before a crash, or somebody imitates it. Only a Pod of
 * Millrace has the right nonce: nobody else knows the nonce before that Pod exists, and nobody can change it
 * in an existing Pod.
 */
async function compareWithExisting(
  options: PodClusterOptions,
  desired: Wire<V1Pod>,
): Promise<CreatePodAnswer> {
  const { namespace, name = '' } = desired.metadata ?? {};
  const operation = `reading the Pod ${namespace}/${name}`;
  const found = orThrow(await options.client.get(KINDS.pods, { namespace, name }), operation);
  const nonce = nonceIn(desired);
  if (nonce !== undefined && nonceIn(found) === nonce) {
    options.cache.created(found);
    return { answer: 'exists', uid: found.metadata?.uid ?? '' };
  }
  const message =
    `The Pod ${namespace}/${name} exists, and Millrace did not create it. ` +
    'Delete it, or find out who creates such Pods.';
  return { answer: 'refused', reason: 'NameTaken', message };
}

function nonceIn({ spec }: Wire<V1Pod>): string | undefined {
  const environment = spec?.containers[0]?.env ?? [];
  return environment.find(({ name }) => name === AGENT_ENVIRONMENT.nonce)?.value;
}

function refusal(desired: Wire<V1Pod>, problem: ApiProblem): CreatePodAnswer {
  const reason = refusalReason(problem);
  if (reason !== undefined) return { answer: 'refused', reason, message: problem.message };
  throw new ApiError(`creating the Pod ${desired.metadata?.namespace}/${desired.metadata?.name}`, problem);
}

/** Why the API server refuses the Pod; undefined if a retry may succeed. */
function refusalReason({
  status,
  message,
}: ApiProblem): (CreatePodAnswer & { answer: 'refused' })['reason'] | undefined {
  if (status === 404) return 'NamespaceTerminating';
  if (status === 422 || status === 400) return 'Invalid';
  if (status !== 403) return undefined;
  if (/exceeded quota/i.test(message)) return 'QuotaExceeded';
  return /being terminated/i.test(message) ? 'NamespaceTerminating' : 'Forbidden';
}

/** The Pod as its JSON. The manifests of Millrace have no dates, so the JSON has the same fields. */
function wirePod(pod: V1Pod): Wire<V1Pod> {
  const wire: Wire<V1Pod> = JSON.parse(JSON.stringify(pod));
  return wire;
}
