import type { V1Pod } from '@kubernetes/client-node';
import { KINDS, type ApiKind, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { LABEL, nodeLabel, OWNED_BY_MILLRACE } from '#adapters/kubernetes/manifests/labels.ts';
import { teamLimits, teamRules, type TeamLimits } from '#adapters/kubernetes/manifests/team-rules.ts';
import {
  Reflector,
  type ListWatcher,
  type ReflectorOptions,
  type ReflectorTiming,
} from '#adapters/kubernetes/watch/reflector.ts';
import type { CachedObject } from '#adapters/kubernetes/watch/store.ts';
import type { NodeSupport } from '#domain/planning/user-namespaces.ts';
import type { ClusterNodes } from '#domain/planning/worker-nodes.ts';
import type { StartNode } from '#domain/scheduling/start-window.ts';
import type { NodeSelector, PodFacts } from '#flows/pods/ports.ts';
import type { WarmTeam } from '#flows/pods/warm-ports.ts';
import type { ChangeHandlers } from './change-handlers.ts';
import type { ClusterCache } from './cluster-cache.ts';
import { labelledTags, matchingNodes, projectNode, type NodeProjection } from './node-projection.ts';
import { owningTeam } from './owning-team.ts';
import { projectPod, type PodProjection } from './pod-projection.ts';
import {
  projectCronJob,
  projectOAuthProvider,
  projectPipeline,
  projectReference,
  projectTeam,
  type OAuthProviderProjection,
  type PipelineProjection,
  type TeamProjection,
} from './projections.ts';

/** The objects of a kind, as the API server sends them. */
type ObjectOf<Kind> = Kind extends ApiKind<infer T> ? T : never;

interface AnyReflector {
  readonly synced: Promise<boolean>;
  start(): void;
  stop(): Promise<void>;
  stuckMs(): number;
}

export interface InformersOptions {
  /** Whether the seal of a Pod is valid. */
  isSealed: (pod: Wire<V1Pod>) => boolean;
  timing?: Partial<ReflectorTiming>;
  /** Limits of Teams that do not set their own. */
  defaultLimits: TeamLimits;
}

/** The informers of one team's namespace. */
interface TeamWatches {
  pods: Reflector<Wire<V1Pod>, PodProjection>;
  /** The reflectors of all kinds in the namespace, including `pods`. */
  reflectors: AnyReflector[];
  /** Whether the first lists of all kinds are complete. */
  synced: boolean;
}

/** The node to assume if none is known, for example because the operator may not list nodes. */
const ASSUMED_NODE: StartNode = { cores: 4 };

/**
 * All informers. Those of Millrace's custom resources and of nodes watch the whole cluster. Those of Pods,
 * CronJobs, and the metadata of ConfigMaps and Secrets watch only the namespaces of teams, because the
 * operator may read them in no other namespace.
 */
export class Informers implements ClusterCache {
  readonly teams: Reflector<ObjectOf<typeof KINDS.teams>, TeamProjection>;
  readonly pipelines: Reflector<ObjectOf<typeof KINDS.pipelines>, PipelineProjection>;
  readonly oauthProviders: Reflector<ObjectOf<typeof KINDS.oauthProviders>, OAuthProviderProjection>;
  readonly #nodes: Reflector<ObjectOf<typeof KINDS.nodes>, NodeProjection>;
  readonly #source: ListWatcher;
  readonly #handlers: ChangeHandlers;
  readonly #timing: Partial<ReflectorTiming>;
  readonly #isSealed: (pod: Wire<V1Pod>) => boolean;
  readonly #defaultLimits: TeamLimits;
  readonly #namespaces = new Map<string, TeamWatches>();

  constructor(source: ListWatcher, handlers: ChangeHandlers, options: InformersOptions) {
    this.#source = source;
    this.#handlers = handlers;
    this.#timing = options.timing ?? {};
    this.#isSealed = options.isSealed;
    this.#defaultLimits = options.defaultLimits;
    this.teams = this.#reflector('Teams', {
      kind: KINDS.teams,
      project: projectTeam,
      changed: (change) => handlers.team(change),
    });
    this.pipelines = this.#reflector('Pipelines', {
      kind: KINDS.pipelines,
      project: projectPipeline,
      changed: (change) => handlers.pipeline(change),
    });
    this.oauthProviders = this.#reflector('OAuthProviders', {
      kind: KINDS.oauthProviders,
      project: projectOAuthProvider,
      changed: (change) => handlers.oauthProvider(change),
    });
    this.#nodes = this.#reflector('Nodes', {
      kind: KINDS.nodes,
      project: projectNode,
      changed: () => handlers.node(),
    });
  }

  /** Starts the informers for the whole cluster. Resolves after the first lists of the custom resources. */
  async start(): Promise<void> {
    const ownKinds = [this.teams, this.pipelines, this.oauthProviders];
    for (const reflector of [...ownKinds, this.#nodes]) reflector.start();
    await Promise.all(ownKinds.map((reflector) => reflector.synced));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#allReflectors().map((reflector) => reflector.stop()));
  }

  /** Starts the informers of a team's namespace. Resolves after the first lists. */
  async watchNamespace(namespace: string): Promise<void> {
    const watches = this.#namespaces.get(namespace) ?? this.#startNamespace(namespace);
    const listed = await Promise.all(watches.reflectors.map((reflector) => reflector.synced));
    watches.synced = listed.every(Boolean);
  }

  /** Stops the informers of a team's namespace. */
  async leaveNamespace(namespace: string): Promise<void> {
    const watches = this.#namespaces.get(namespace);
    this.#namespaces.delete(namespace);
    await Promise.all((watches?.reflectors ?? []).map((reflector) => reflector.stop()));
  }

  /** The longest time in which an informer made no progress, for the liveness probe. */
  stuckMs(): number {
    return Math.max(...this.#allReflectors().map((reflector) => reflector.stuckMs()));
  }

  /** The Team that owns the namespace. */
  teamOf(namespace: string): TeamProjection | undefined {
    return owningTeam(this.teams.store.values(), namespace);
  }

  /** The Pipelines in the namespace, if this team owns the namespace; otherwise empty. */
  pipelinesOf(team: string, namespace: string): PipelineProjection[] {
    return this.teamOf(namespace)?.name === team ? this.pipelinesIn(namespace) : [];
  }

  pipelinesIn(namespace: string): PipelineProjection[] {
    return [...this.pipelines.store.values()].filter((pipeline) => pipeline.namespace === namespace);
  }

  team(name: string): ReturnType<ClusterCache['team']> {
    const team = this.teams.store.get(name);
    if (team === undefined) return undefined;
    const { runningBuilds = Infinity, runningChecks = Infinity } = this.limitsOf(name);
    return { rules: teamRules(name, team.spec), runningBuilds, runningChecks };
  }

  warmTeams(): WarmTeam[] {
    return [...this.teams.store.values()].flatMap(({ name, spec, deletedAt }) => {
      const { namespace, warm } = teamRules(name, spec);
      const isKnown = this.podsIn(namespace) !== undefined && deletedAt === undefined;
      return warm === undefined || !isKnown ? [] : [{ team: name, namespace, settings: warm }];
    });
  }

  limitsOf(team: string): TeamLimits {
    return teamLimits(this.teams.store.get(team)?.spec.limits, this.#defaultLimits);
  }

  pipelineOwner(namespace: string, name: string): ReturnType<ClusterCache['pipelineOwner']> {
    const pipeline = this.pipelines.store.get(`${namespace}/${name}`);
    if (pipeline === undefined) return undefined;
    const { apiVersion, kind } = KINDS.pipelines;
    return { apiVersion, kind, name, uid: pipeline.uid };
  }

  /**
   * Counts Pods with a valid seal, and check Pods without a run: a CronJob creates these, so they have no
   * seal. A copy of a sealed Pod has no valid seal, and is not counted.
   */
  runningPods(namespace: string, kind: 'build' | 'check'): number | undefined {
    return this.podsIn(namespace)?.filter(({ labels, facts }) => {
      if (labels[LABEL.kind] !== kind || facts === undefined) return false;
      const ended = facts.phase === 'Succeeded' || facts.phase === 'Failed';
      return !ended && (facts.sealed || isOfCronJob(facts));
    }).length;
  }

  /** The nodes that match the selector (see `matchingNodes`). If no node is known, one is assumed. */
  nodes(selector: NodeSelector): StartNode[] {
    const nodes = [...this.#nodes.store.values()];
    return nodes.length === 0 ? [ASSUMED_NODE] : matchingNodes(nodes, selector);
  }

  /** Undefined while no node is known. */
  clusterNodes(): ClusterNodes | undefined {
    const nodes = [...this.#nodes.store.values()];
    if (nodes.length === 0) return undefined;
    const count = (selector: NodeSelector): number => matchingNodes(nodes, selector).length;
    return { labelOf: nodeLabel, labelledTags: labelledTags(nodes), count };
  }

  /** What the nodes that take Linux Pods report about user namespaces. */
  userNamespaces(): NodeSupport[] {
    return [...this.#nodes.store.values()].flatMap((node) => node.userNamespaces ?? []);
  }

  created(pod: Wire<V1Pod>): void {
    this.#namespaces.get(pod.metadata?.namespace ?? '')?.pods.note(this.#projectPod(pod));
  }

  /** The cached Pods; undefined before the first lists of the namespace are complete. */
  podsIn(namespace: string): PodProjection[] | undefined {
    const watches = this.#namespaces.get(namespace);
    return watches?.synced === true ? [...watches.pods.store.values()] : undefined;
  }

  podsListed(namespace: string): boolean {
    return this.podsIn(namespace) !== undefined || this.teamOf(namespace) === undefined;
  }

  /** A cached Pod by `namespace/name`; undefined if there is none, or the namespace is not watched. */
  pod(key: string): PodProjection | undefined {
    return this.#namespaces.get(key.split('/')[0] ?? '')?.pods.store.get(key);
  }

  watchedNamespaces(): string[] {
    return [...this.#namespaces.keys()];
  }

  #projectPod(pod: Wire<V1Pod>): PodProjection {
    return projectPod(pod, this.#isSealed(pod));
  }

  #allReflectors(): AnyReflector[] {
    const clusterWide = [this.teams, this.pipelines, this.oauthProviders, this.#nodes];
    return [...clusterWide, ...[...this.#namespaces.values()].flatMap(({ reflectors }) => reflectors)];
  }

  #startNamespace(namespace: string): TeamWatches {
    const handlers = this.#handlers;
    const pods = this.#reflector(`Pods in ${namespace}`, {
      kind: KINDS.pods,
      namespace,
      labelSelector: OWNED_BY_MILLRACE,
      project: (pod) => this.#projectPod(pod),
      changed: (change) => handlers.pod(change),
    });
    const cronJobs = this.#reflector(`CronJobs in ${namespace}`, {
      kind: KINDS.cronJobs,
      namespace,
      labelSelector: OWNED_BY_MILLRACE,
      project: projectCronJob,
      changed: (change) => handlers.cronJob(change),
    });
    const configMaps = this.#reflector(`ConfigMaps in ${namespace}`, {
      kind: KINDS.configMaps,
      namespace,
      metadataOnly: true,
      project: projectReference,
      changed: (change) => handlers.reference('configMap', change),
    });
    const secrets = this.#reflector(`Secrets in ${namespace}`, {
      kind: KINDS.secrets,
      namespace,
      metadataOnly: true,
      project: projectReference,
      changed: (change) => handlers.reference('secret', change),
    });
    const watches = { pods, reflectors: [pods, cronJobs, configMaps, secrets], synced: false };
    this.#namespaces.set(namespace, watches);
    for (const reflector of watches.reflectors) reflector.start();
    return watches;
  }

  #reflector<T, S extends CachedObject>(
    name: string,
    options: Omit<ReflectorOptions<T, S>, 'onProblem' | 'timing'>,
  ): Reflector<T, S> {
    return new Reflector(this.#source, {
      ...options,
      onProblem: (problem) => this.#handlers.problem(name, problem),
      timing: this.#timing,
    });
  }
}

function isOfCronJob({ work }: PodFacts): boolean {
  return work.kind === 'checks' && work.run === undefined;
}
