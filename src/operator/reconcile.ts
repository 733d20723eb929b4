import { signNonce } from '#adapters/crypto/agent-nonce.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { cacheClaims } from '#adapters/kubernetes/cluster/cache-claims.ts';
import { pipelineCluster } from '#adapters/kubernetes/cluster/pipeline-cluster.ts';
import { podCluster } from '#adapters/kubernetes/cluster/pod-cluster.ts';
import { isSealed } from '#adapters/kubernetes/cluster/seal.ts';
import { teamCluster } from '#adapters/kubernetes/cluster/team-cluster.ts';
import { PipelineStates } from '#adapters/kubernetes/controllers/pipeline-states.ts';
import { PipelineTriggers } from '#adapters/kubernetes/controllers/pipeline-triggers.ts';
import { workOnPipeline, type PipelinesOptions } from '#adapters/kubernetes/controllers/pipelines.ts';
import { TeamStates } from '#adapters/kubernetes/controllers/team-states.ts';
import { TeamTriggers } from '#adapters/kubernetes/controllers/team-triggers.ts';
import { workOnTeam, type TeamsOptions } from '#adapters/kubernetes/controllers/teams.ts';
import type { ChangeHandlers } from '#adapters/kubernetes/informers/change-handlers.ts';
import { Informers } from '#adapters/kubernetes/informers/informers.ts';
import type { PodProjection } from '#adapters/kubernetes/informers/pod-projection.ts';
import type { Installation } from '#adapters/kubernetes/manifests/installation.ts';
import type { WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import { EventRecorder, type EventNote } from '#adapters/kubernetes/watch/recorder.ts';
import type { ObjectChange } from '#adapters/kubernetes/watch/store.ts';
import type { LogFill } from '#domain/build/judge-logs.ts';
import { bytesOf } from '#domain/planning/quantity.ts';
import type { TeamLogs } from '#flows/builds/limit-logs.ts';
import type { PipelineName } from '#flows/names.ts';
import { applyTeam } from '#flows/people/apply-team.ts';
import { removeTeam } from '#flows/people/remove-team.ts';
import { applyPipeline } from '#flows/pipelines/apply-pipeline.ts';
import type { CacheClaims } from '#flows/pipelines/cache-ports.ts';
import { pipelineFacts } from '#flows/pipelines/pipeline-facts.ts';
import { removePipeline } from '#flows/pipelines/remove-pipeline.ts';
import { SourceTurns } from '#flows/pipelines/source-turns.ts';
import type { WarmCount } from '#flows/pods/keep-warm-pods.ts';
import type { Cluster, PodFacts } from '#flows/pods/ports.ts';
import { countedCluster } from './counted-cluster.ts';
import type { Leadership } from './lead.ts';
import { compilerFor } from './on-demand-compiler.ts';
import { reconcileOAuthProvider } from './reconcile-oauth-provider.ts';
import { StartPacer } from './start-pacer.ts';
import { UserNamespaces } from './user-namespaces.ts';
import { Waits } from './waits.ts';
import { watchFailures } from './watch-failures.ts';
import { namespaceOf, workQueue } from './work-queue.ts';

type PodListener = (change: ObjectChange<PodProjection>) => void;
type TeamListener = (namespace: string) => void;

/** The watches and the controllers. They apply manifests while they run. */
export class Reconciling {
  readonly informers: Informers;
  /** Creates and deletes the Pods of builds and checks, and warm Pods. */
  readonly cluster: Cluster;
  /** Finds and deletes the volumes of caches. */
  readonly cacheClaims: CacheClaims;
  /** Limits how many Pods may be starting at a time. */
  readonly pacer = new StartPacer({ nodes: () => this.informers.nodes({}) });
  readonly #leadership: Leadership;
  readonly #recorder: EventRecorder;
  readonly #states = { teams: new TeamStates(), pipelines: new PipelineStates() };
  readonly #triggers: { teams: TeamTriggers; pipelines: PipelineTriggers };
  readonly #queues: { teams: WorkQueue; pipelines: WorkQueue; oauthProviders: WorkQueue };
  readonly #waits: Waits;
  #certificateAuthority: string;
  #podListener: PodListener | undefined;
  #teamListener: TeamListener | undefined;
  readonly #userNamespaces: UserNamespaces;

  constructor(leadership: Leadership) {
    const { client, config, keys, log } = leadership;
    this.#leadership = leadership;
    this.#certificateAuthority = leadership.certificateAuthority;
    this.#waits = new Waits({
      facts: (name) => pipelineFacts(name, leadership.database.pipelines, new Date()),
      waiting: (name) => leadership.database.views.waiting(name),
      refresh: (pipeline) => this.pipelineRowChanged(pipeline),
    });
    leadership.metrics.waiting(() => this.#waits.byReason());
    this.informers = new Informers(client, this.#handlers(), {
      isSealed: (pod) => isSealed(keys.agent, pod),
      defaultLimits: config.defaultLimits,
    });
    this.#userNamespaces = new UserNamespaces({
      setting: config.pods.userNamespaces,
      nodes: () => this.informers.userNamespaces(),
      changed: () => this.#renewTemplates(),
      log,
    });
    this.#recorder = new EventRecorder({
      client,
      instance: config.podName,
      onProblem: (problem) => log.warn({ problem }, 'an Event could not be written'),
    });
    const teams = this.#teamsOptions();
    const pipelines = this.#pipelinesOptions();
    this.#queues = {
      teams: workQueue(leadership, 'team', (key) => workOnTeam(key, teams)),
      pipelines: workQueue(leadership, 'pipeline', (key) => workOnPipeline(key, pipelines), namespaceOf),
      oauthProviders: workQueue(leadership, 'oauth-provider', (key) =>
        reconcileOAuthProvider(key, leadership, this.informers.oauthProviders.store),
      ),
    };
    const { informers } = this;
    this.#triggers = {
      teams: new TeamTriggers({ informers, queue: this.#queues.teams, states: this.#states.teams }),
      pipelines: new PipelineTriggers({
        informers,
        queue: this.#queues.pipelines,
        states: this.#states.pipelines,
      }),
    };
    const namespaces = () => informers.watchedNamespaces();
    this.cacheClaims = cacheClaims({ client, cache: informers, namespaces });
    const cluster = podCluster({
      client,
      installation: () => this.#installation(),
      cache: this.informers,
      nonceOf: (session) => signNonce(keys.agent, session),
      agentKey: keys.agent,
      starts: this.pacer,
    });
    this.cluster = countedCluster(cluster, leadership.metrics);
  }

  /** Starts the watches. Resolves once all existing objects are listed. */
  start(): Promise<void> {
    return this.informers.start();
  }

  async stop(): Promise<void> {
    const queues = Object.values(this.#queues);
    this.#waits.stop();
    await Promise.all([this.informers.stop(), ...queues.map((queue) => queue.stop())]);
    await this.#recorder.flush();
  }

  /** Sets the listener for changes of Pods. */
  onPod(listener: PodListener): void {
    this.#podListener = listener;
  }

  /** Sets the listener for namespaces whose Team became ready or changed its rules. */
  onTeam(listener: TeamListener): void {
    this.#teamListener = listener;
  }

  /** Reports a change in the database that a pipeline's status shows. `pipeline`: row id. */
  pipelineRowChanged(pipeline: number | 'all'): void {
    this.#triggers.pipelines.rowChanged(pipeline);
  }

  /** Records an Event for a Pipeline object, if it still exists. */
  recordEvent(namespace: string, name: string, event: EventNote): void {
    const object = this.informers.pipelines.store.get(`${namespace}/${name}`);
    const { apiVersion, kind } = KINDS.pipelines;
    if (object) this.#recorder.record({ apiVersion, kind, namespace, name, uid: object.uid }, event);
  }

  recordPodEvent({ namespace, name, uid }: PodFacts, event: EventNote): void {
    this.#recorder.record({ apiVersion: 'v1', kind: 'Pod', namespace, name, uid }, event);
  }

  /** Updates the statuses of pipelines (row ids) whose checks may be overdue. */
  checksOverdue(pipelines: readonly number[]): void {
    this.#triggers.pipelines.checksOverdue(pipelines);
  }

  /** All Teams, with the limit of their logs in bytes. */
  teamLogs(): TeamLogs[] {
    return [...this.informers.teams.store.values()].map(({ name: team }) => {
      const limit = bytesOf(this.informers.limitsOf(team).logBytes ?? '');
      return limit === undefined ? { team } : { team, limit };
    });
  }

  /** Updates the statuses of Teams whose `LogFill` changed. */
  logsCounted(fills: ReadonlyMap<string, LogFill>): void {
    this.#triggers.teams.logsCounted(fills);
  }

  /** Updates the statuses of Teams whose warm Pods changed. */
  warmPodsCounted(teams: readonly WarmCount[]): void {
    this.#triggers.teams.warmPodsCounted(teams);
  }

  /** Reports a change in the database that a Team's status shows. `id`: row id. */
  teamRowChanged(id: number | 'all'): void {
    if (id === 'all') this.#triggers.teams.allRowsChanged();
    else void this.#teamWithIdChanged(id);
  }

  /** Sets the authority of the gateway's certificate. A new authority goes into all Pod templates. */
  trust(certificateAuthority: string): void {
    if (certificateAuthority === this.#certificateAuthority) return;
    this.#certificateAuthority = certificateAuthority;
    this.#renewTemplates();
  }

  stuckMs(): number {
    return Math.max(this.informers.stuckMs(), ...Object.values(this.#queues).map((queue) => queue.stuckMs()));
  }

  /** Applies all Pipelines again, and with them the Pod templates of their CronJobs. */
  #renewTemplates(): void {
    for (const namespace of this.informers.watchedNamespaces())
      this.#triggers.pipelines.teamChanged(namespace);
  }

  async #teamWithIdChanged(id: number): Promise<void> {
    // If reading the name fails, the next periodic work on the Team finds the change.
    const name = await this.#leadership.database.teams.teamName(id).catch(() => undefined);
    if (name !== undefined) this.#triggers.teams.rowChanged(name);
  }

  #handlers(): ChangeHandlers {
    return {
      team: (change) => {
        this.#triggers.teams.objectChanged(change);
        const { name, spec } = change.object;
        if (change.type === 'deleted') this.#triggers.pipelines.teamChanged(spec.namespace ?? name);
      },
      pipeline: (change) => {
        this.#triggers.pipelines.objectChanged(change);
        if (change.type !== 'updated') this.#triggers.teams.pipelinesChanged(change.object.namespace);
      },
      oauthProvider: (change) => this.#queues.oauthProviders.add(change.key),
      pod: (change) => this.#podListener?.(change),
      cronJob: (change) => this.#triggers.pipelines.cronJobChanged(change),
      node: () => this.#userNamespaces.nodesChanged(),
      reference: (kind, change) => this.#triggers.pipelines.referenceChanged(kind, change),
      problem: watchFailures(this.#leadership),
    };
  }

  #teamsOptions(): TeamsOptions {
    const { client, database } = this.#leadership;
    const cluster = teamCluster({
      client,
      installation: () => this.#installation(),
      specOf: (team) => this.informers.teams.store.get(team)?.spec,
      pipelinesOf: ({ name, namespace }) => this.informers.pipelinesOf(name, namespace).length,
    });
    return {
      client,
      defaultLimits: this.#leadership.config.defaultLimits,
      informers: this.informers,
      recorder: this.#recorder,
      states: this.#states.teams,
      apply: (manifest) => applyTeam(manifest, { store: database.teams, cluster, now: () => new Date() }),
      remove: (manifest) => removeTeam(manifest, { store: database.teams, cluster, now: () => new Date() }),
      ready: (namespace) => {
        this.#triggers.pipelines.teamChanged(namespace);
        this.#teamListener?.(namespace);
      },
    };
  }

  #pipelinesOptions(): PipelinesOptions {
    const { client, config, database, compiler, reader, keys } = this.#leadership;
    const turns = new SourceTurns();
    const store = { ...database.pipelines, pipelineFacts: (name: PipelineName) => this.#waits.facts(name) };
    const cluster = pipelineCluster({
      client,
      installation: () => this.#installation(),
      rulesOf: (team) => this.informers.team(team)?.rules,
      limitsOf: (team) => this.informers.limitsOf(team),
      agentKey: keys.agent,
    });
    return {
      client,
      informers: this.informers,
      recorder: this.#recorder,
      states: this.#states.pipelines,
      applyAgain: (key) => this.#triggers.pipelines.applyAgain(key),
      apply: (manifest) =>
        applyPipeline(manifest, {
          store,
          cluster,
          compiler: compilerFor(manifest.namespace, compiler),
          reader,
          turns,
          notifications: database.notifications,
          externalUrl: config.externalUrl,
          now: () => new Date(),
        }),
      remove: async (name, requestedMsAgo) => {
        this.#waits.forget(name);
        return await removePipeline(name, requestedMsAgo, { store, notifications: database.notifications });
      },
      facts: (name) => store.pipelineFacts(name),
      teamState: (team) => this.#states.teams.state(team),
      now: () => new Date(),
    };
  }

  #installation(): Installation {
    const { release, namespace, image, imagePullPolicy, internalUrl, ...config } = this.#leadership.config;
    const pods = { ...config.pods, userNamespaces: this.#userNamespaces.pods };
    const certificateAuthority = this.#certificateAuthority;
    return { release, namespace, image, imagePullPolicy, pods, gateway: internalUrl, certificateAuthority };
  }
}
