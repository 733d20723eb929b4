import type { V1Pod } from '@kubernetes/client-node';
import { createHmac } from 'node:crypto';
import { AGENT_ENVIRONMENT } from '#domain/build/agent-protocol.ts';
import { checkDeadlineSeconds, HOOKS_DEADLINE_SECONDS } from '#domain/planning/check-deadline.ts';
import { checkContainersOf, containersOf } from '#domain/planning/containers.ts';
import type { Misplaced, Placement } from '#domain/planning/place-pod.ts';
import { isMisplaced, placePod } from '#domain/planning/place-pod.ts';
import { DEFAULT_TIMEOUT_SECONDS } from '#domain/planning/plan-build.ts';
import { hookContainersOf } from '#domain/planning/plan-hooks.ts';
import type { StartNode } from '#domain/scheduling/start-window.ts';
import type { CheckRunFacts } from '#flows/check-ports.ts';
import type { Cluster, CreatePodAnswer, NodeSelector } from '#flows/cluster-ports.ts';
import type { AgentSession, PendingBuild } from '#flows/ports.ts';
import type { Problem } from './api/answer.ts';
import { ApiError, orAbsent, orThrow } from './api/answer.ts';
import type { ApiClient } from './api/client.ts';
import type { Wire } from './api/kinds.ts';
import { KINDS } from './api/kinds.ts';
import { factsOf } from './kinds/seen.ts';
import { buildPod } from './manifests/build-pod.ts';
import { checkPod } from './manifests/check-pod.ts';
import type { Installation, Owner, TeamRules } from './manifests/installation.ts';
import { nodeLabel } from './manifests/labels.ts';
import { buildPodName } from './manifests/names.ts';
import type { ShimKeys } from './manifests/pod.ts';
import { isSealed, withSeal } from './seal.ts';

/** What a Pod needs to be known about its surroundings; all of it comes from watched objects, so no request is made for it. */
export interface Surroundings {
  team(name: string): { rules: TeamRules; runningBuilds: number; runningChecks: number } | undefined;
  /** Owner of the Pods of a Pipeline object. */
  pipelineOwner(namespace: string, name: string): Owner | undefined;
  /** Pods of the team that have not ended, by what the labels call their kind. */
  runningPods(namespace: string, kind: 'build' | 'check'): number;
  nodes(selector: NodeSelector): StartNode[];
  /** A Pod that we just made, before any watch tells of it. */
  created(pod: Wire<V1Pod>): void;
}

export interface ClusterOptions {
  client: Pick<ApiClient, 'create' | 'get' | 'delete'>;
  installation(): Installation;
  surroundings: Surroundings;
  /** Signs what an agent shows to the gateway; the same session always gets the same. */
  nonceOf(session: AgentSession): string;
  startsPerNode(): number;
  /** From which the shims' secrets are made, so that a Pod that is made again is the same Pod. */
  agentKey: Buffer;
}

/** The Pods of builds and checks in a real cluster. */
export function kubernetesCluster(options: ClusterOptions): Cluster {
  const { client, surroundings } = options;
  const starting = new Map<string, number>();

  const create = async (pod: V1Pod, team: string, kind: 'build' | 'check'): Promise<CreatePodAnswer> => {
    const wanted = withSeal(options.agentKey, wirePod(pod));
    const key = `${kind} ${wanted.metadata?.namespace}`;
    const ahead = starting.get(key) ?? 0;
    const full = refusalByLimit(surroundings, team, kind, ahead);
    if (full !== undefined) return full;
    starting.set(key, ahead + 1);
    try {
      return await post(options, wanted);
    } finally {
      starting.set(key, (starting.get(key) ?? 1) - 1);
    }
  };

  return {
    async createBuildPod(build) {
      const team = surroundings.team(build.team);
      if (team === undefined) return noTeam(build.team);
      const placement = placePod(tagsOfJob(build), team.rules, nodeLabel);
      if (isMisplaced(placement)) return nowhere(placement);
      return await create(podOfBuild(build, { ...team, placement }, options), build.team, 'build');
    },
    async createCheckPod(run) {
      const team = surroundings.team(run.team);
      if (team === undefined) return noTeam(run.team);
      const placement = placePod(tagsOfRun(run), team.rules, nodeLabel);
      if (isMisplaced(placement)) return nowhere(placement);
      return await create(podOfRun(run, { ...team, placement }, options), run.team, 'check');
    },
    async findBuildPod(attempt) {
      const { namespace, id: build } = attempt;
      const name = buildPodName(attempt);
      const answer = await client.get(KINDS.pods, { namespace, name });
      const found = orAbsent(answer, `reading the Pod ${namespace}/${name}`);
      const work = { kind: 'build', build, attempt: attempt.attempt } as const;
      return found && { ...factsOf(found), work, sealed: isSealed(options.agentKey, found) };
    },
    checkRoom(name) {
      const team = surroundings.team(name);
      if (team === undefined || team.runningChecks === Infinity) return Infinity;
      const { namespace } = team.rules;
      const ahead = starting.get(`check ${namespace}`) ?? 0;
      return team.runningChecks - surroundings.runningPods(namespace, 'check') - ahead;
    },
    nodeSelectorOf(build) {
      const team = surroundings.team(build.team);
      const placement = team && placePod(tagsOfJob(build), team.rules, nodeLabel);
      return placement === undefined || isMisplaced(placement) ? undefined : placement.nodeSelector;
    },
    nodes: (selector) => surroundings.nodes(selector),
    startsPerNode: () => options.startsPerNode(),
    async deletePod(namespace, name, uid, graceSeconds) {
      const answer = await client.delete(KINDS.pods, { namespace, name }, { uid, graceSeconds });
      // A Pod of another uid has the name now: ours is gone.
      if (!answer.ok && answer.status !== 409)
        throw new ApiError(`deleting the Pod ${namespace}/${name}`, answer);
    },
  };
}

/** The team's rules for all Pods, and what follows from them for one. */
interface Place {
  rules: TeamRules;
  placement: Placement;
}

function podOfBuild(build: PendingBuild, { rules, placement }: Place, options: ClusterOptions): V1Pod {
  const nonce = options.nonceOf({ kind: 'build', build: build.id, attempt: build.attempt });
  return buildPod(
    {
      build,
      containers: containersOf(build.definition, build.job),
      nonce,
      shim: shimKeys(options.agentKey, nonce),
      placement,
      timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
      ...owned(options.surroundings.pipelineOwner(build.namespace, build.pipeline)),
    },
    { ...rules, namespace: build.namespace },
    options.installation(),
  );
}

function podOfRun(run: CheckRunFacts, { rules, placement }: Place, options: ClusterOptions): V1Pod {
  const nonce = options.nonceOf({ kind: 'checks', run: run.run });
  return checkPod(
    {
      ...run,
      ...purposeOf(run),
      placement,
      nonce,
      shim: shimKeys(options.agentKey, nonce),
      ...owned(options.surroundings.pipelineOwner(run.namespace, run.pipeline)),
    },
    { ...rules, namespace: run.namespace },
    options.installation(),
  );
}

/** What runs in the Pod of a run, and for how long. */
function purposeOf({ definition, checks, hooks }: CheckRunFacts) {
  if (hooks !== undefined) {
    const { resource } = hooks;
    const containers = hookContainersOf(definition, resource);
    return { resources: [resource], containers, deadlineSeconds: HOOKS_DEADLINE_SECONDS };
  }
  const resources = checks.map((check) => check.resource);
  const containers = checkContainersOf(definition, resources);
  return { resources, containers, deadlineSeconds: checkDeadlineSeconds(resources.length) };
}

function tagsOfJob({ definition, job }: PendingBuild): string[] {
  return definition.jobs.find(({ name }) => name === job)?.tags ?? [];
}

/** Checks that share a Pod have the same tags, and hooks run where their resource is checked. */
function tagsOfRun(run: CheckRunFacts): string[] {
  const { definition } = run;
  const names = new Set(purposeOf(run).resources);
  const tags = definition.resources
    .filter(({ name }) => names.has(name))
    .flatMap((resource) => resource.tags);
  return [...new Set(tags)].toSorted();
}

function nowhere({ reason, message }: Misplaced): CreatePodAnswer {
  return { answer: 'refused', reason, message };
}

/** Keys of the one Pod's loopback: a secret for the agent, and from it a key for each container's shim. */
export function shimKeys(agentKey: Buffer, purpose: string): ShimKeys {
  const secret = createHmac('sha256', agentKey).update(`shim ${purpose}`).digest();
  return {
    secret: secret.toString('base64url'),
    keyOf: (container) => createHmac('sha256', secret).update(container).digest('hex'),
  };
}

async function post(options: ClusterOptions, wanted: Wire<V1Pod>): Promise<CreatePodAnswer> {
  const answer = await options.client.create(KINDS.pods, wanted);
  if (answer.ok) {
    options.surroundings.created(answer.value);
    return { answer: 'created', uid: answer.value.metadata?.uid ?? '' };
  }
  if (answer.status === 409 && answer.reason === 'AlreadyExists') return meet(options, wanted);
  return refusal(wanted, answer);
}

/**
 * A Pod of that name is there: ours from before a crash, or one that only looks like it. Its credential tells: nobody knows it before our
 * Pod exists, and nobody can change it in a Pod.
 */
async function meet(options: ClusterOptions, wanted: Wire<V1Pod>): Promise<CreatePodAnswer> {
  const { namespace, name = '' } = wanted.metadata ?? {};
  const doing = `reading the Pod ${namespace}/${name}`;
  const found = orThrow(await options.client.get(KINDS.pods, { namespace, name }), doing);
  const credential = credentialOf(wanted);
  if (credential !== undefined && credentialOf(found) === credential) {
    options.surroundings.created(found);
    return { answer: 'exists', uid: found.metadata?.uid ?? '' };
  }
  const message = `The Pod ${namespace}/${name} exists, and Millrace did not create it. Delete it, or find out who creates such Pods.`;
  return { answer: 'refused', reason: 'NameTaken', message };
}

function credentialOf({ spec }: Wire<V1Pod>): string | undefined {
  const environment = spec?.containers[0]?.env ?? [];
  return environment.find(({ name }) => name === AGENT_ENVIRONMENT.nonce)?.value;
}

function refusal(wanted: Wire<V1Pod>, problem: Problem): CreatePodAnswer {
  const reason = refusalReason(problem);
  if (reason !== undefined) return { answer: 'refused', reason, message: problem.message };
  throw new ApiError(`creating the Pod ${wanted.metadata?.namespace}/${wanted.metadata?.name}`, problem);
}

/** Undefined for what another try may cure. */
function refusalReason({
  status,
  message,
}: Problem): (CreatePodAnswer & { answer: 'refused' })['reason'] | undefined {
  if (status === 404) return 'NamespaceTerminating';
  if (status === 422 || status === 400) return 'Invalid';
  if (status !== 403) return undefined;
  if (/exceeded quota/i.test(message)) return 'QuotaExceeded';
  return /being terminated/i.test(message) ? 'NamespaceTerminating' : 'Forbidden';
}

function refusalByLimit(
  surroundings: Surroundings,
  name: string,
  kind: 'build' | 'check',
  starting: number,
): CreatePodAnswer | undefined {
  const team = surroundings.team(name);
  if (team === undefined) return noTeam(name);
  const limit = kind === 'build' ? team.runningBuilds : team.runningChecks;
  if (limit === Infinity) return undefined;
  const running = surroundings.runningPods(team.rules.namespace, kind) + starting;
  if (running < limit) return undefined;
  const what = kind === 'build' ? 'builds' : 'checks';
  const message = `Team ${name} runs ${running} of ${limit} ${what} that it may run at a time.`;
  return { answer: 'refused', reason: 'TeamLimit', message };
}

function noTeam(name: string): CreatePodAnswer {
  return { answer: 'refused', reason: 'Forbidden', message: `There is no Team ${name} that is ready.` };
}

function owned(owner: Owner | undefined): { owner?: Owner } {
  return owner === undefined ? {} : { owner };
}

/** What we build has no dates in it: on the wire it is the same object. */
function wirePod(pod: V1Pod): Wire<V1Pod> {
  const wire: Wire<V1Pod> = JSON.parse(JSON.stringify(pod));
  return wire;
}
