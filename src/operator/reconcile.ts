import { signNonce } from '#adapters/crypto/agent-nonce.ts';
import type { ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { pipelineCluster } from '#adapters/kubernetes/cluster/pipeline-cluster.ts';
import { podCluster } from '#adapters/kubernetes/cluster/pod-cluster.ts';
import { isSealed } from '#adapters/kubernetes/cluster/seal.ts';
import { teamCluster } from '#adapters/kubernetes/cluster/team-cluster.ts';
import { workOnOAuthProvider } from '#adapters/kubernetes/controllers/oauth-providers.ts';
import { PipelineStates } from '#adapters/kubernetes/controllers/pipeline-states.ts';
import { PipelineTriggers } from '#adapters/kubernetes/controllers/pipeline-triggers.ts';
import { workOnPipeline, type PipelinesOptions } from '#adapters/kubernetes/controllers/pipelines.ts';
import { TeamStates } from '#adapters/kubernetes/controllers/team-states.ts';
import { TeamTriggers } from '#adapters/kubernetes/controllers/team-triggers.ts';
import { workOnTeam, type TeamsOptions } from '#adapters/kubernetes/controllers/teams.ts';
import { Informers, type ChangeHandlers } from '#adapters/kubernetes/informers/informers.ts';
import type { PodProjection } from '#adapters/kubernetes/informers/pod-projection.ts';
import type { Installation } from '#adapters/kubernetes/manifests/installation.ts';
import type { ReconcileResult, WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import { EventRecorder, type EventNote } from '#adapters/kubernetes/watch/recorder.ts';
import type { ObjectChange } from '#adapters/kubernetes/watch/store.ts';
import type { LogFill } from '#domain/build/judge-logs.ts';
import { bytesOf } from '#domain/planning/quantity.ts';
import type { TeamLogs } from '#flows/builds/limit-logs.ts';
import type { PipelineName } from '#flows/names.ts';
import { applyOAuthProvider, removeOAuthProvider } from '#flows/people/apply-oauth-provider.ts';
import { applyTeam } from '#flows/people/apply-team.ts';
import { removeTeam } from '#flows/people/remove-team.ts';
import { applyPipeline } from '#flows/pipelines/apply-pipeline.ts';
import { pipelineFacts } from '#flows/pipelines/pipeline-facts.ts';
import { removePipeline } from '#flows/pipelines/remove-pipeline.ts';
import { SourceTurns } from '#flows/pipelines/source-turns.ts';
import type { Cluster, PodFacts } from '#flows/pods/ports.ts';
import { countedCluster } from './counted-cluster.ts';
import { compilerFor } from './idle-compiler.ts';
import type { Leadership } from './lead.ts';
import { StartPacer } from './start-pacer.ts';
import { Waits } from './waits.ts';
import { namespaceOf, workQueue } from './work-queue.ts';

/** Failures of a watch that follow each other this closely are one. */
const QUIET_MS = 60_000;

type PodHeard = (change: ObjectChange<PodProjection>) => void;
type TeamHeard = (namespace: string) => void;

/** The watches and the controllers: while they run, manifests are carried out. */
export class Reconciling {
  readonly informers: Informers;
  /** Where the Pods of builds and checks are made. */
  readonly cluster: Cluster;
  /** How many Pods may be starting at a time. */
  readonly pacer = new StartPacer({ nodes: () => this.informers.nodes({}) });
  readonly #leadership: Leadership;
  readonly #recorder: EventRecorder;
  readonly #states = { teams: new TeamStates(), pipelines: new PipelineStates() };
  readonly #triggers: { teams: TeamTriggers; pipelines: PipelineTriggers };
  readonly #queues: { teams: WorkQueue; pipelines: WorkQueue; oauthProviders: WorkQueue };
  readonly #waits: Waits;
  #certificateAuthority: string;
  #podHeard: PodHeard | undefined;
  #teamHeard: TeamHeard | undefined;
  readonly #watchFailedAt = new Map<string, number>();

  constructor(leadership: Leadership) {
    const { client, config, keys, log } = leadership;
    this.#leadership = leadership;
    this.#certificateAuthority = leadership.certificateAuthority;
    this.#waits = new Waits({
      facts: (name) => pipelineFacts(name, leadership.database.pipelines, new Date()),
      waiting: (name) => leadership.database.views.waiting(name),
      again: (pipeline) => this.pipelineRowChanged(pipeline),
    });
    leadership.metrics.waiting(() => this.#waits.byReason());
    this.informers = new Informers(client, this.#handlers(), {
      isSealed: (pod) => isSealed(keys.agent, pod),
      defaultLimits: config.defaultLimits,
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
      oauthProviders: workQueue(leadership, 'oauth-provider', (key) => this.#workOnOAuthProvider(key)),
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
    const cluster = podCluster({
      client,
      installation: () => this.#installation(),
      cache: this.informers,
      nonceOf: (session) => signNonce(keys.agent, session),
      agentKey: keys.agent,
      startsPerNode: () => this.pacer.perNode(),
    });
    this.cluster = countedCluster(cluster, leadership.metrics);
  }

  /** Fulfilled once all manifests that exist are known. */
  start(): Promise<void> {
    return this.informers.start();
  }

  async stop(): Promise<void> {
    const queues = Object.values(this.#queues);
    this.#waits.stop();
    await Promise.all([this.informers.stop(), ...queues.map((queue) => queue.stop())]);
    await this.#recorder.flush();
  }

  /** Who is told of every change of a Pod. */
  onPod(heard: PodHeard): void {
    this.#podHeard = heard;
  }

  /** Who is told when other rules hold in a Team's namespace. */
  onTeam(heard: TeamHeard): void {
    this.#teamHeard = heard;
  }

  /** The database has something new about a pipeline (row id) that its status shows. */
  pipelineRowChanged(pipeline: number | 'all'): void {
    this.#triggers.pipelines.rowChanged(pipeline);
  }

  /** Of a Pipeline object, if there still is one. */
  recordEvent(namespace: string, name: string, event: EventNote): void {
    const seen = this.informers.pipelines.store.get(`${namespace}/${name}`);
    const { apiVersion, kind } = KINDS.pipelines;
    if (seen) this.#recorder.record({ apiVersion, kind, namespace, name, uid: seen.uid }, event);
  }

  recordPodEvent({ namespace, name, uid }: PodFacts, event: EventNote): void {
    this.#recorder.record({ apiVersion: 'v1', kind: 'Pod', namespace, name, uid }, event);
  }

  /** Checks of these pipelines (row ids) may be overdue: their statuses say so. */
  checksOverdue(pipelines: readonly number[]): void {
    this.#triggers.pipelines.checksOverdue(pipelines);
  }

  /** All Teams, with what their logs may take. */
  teamLogs(): TeamLogs[] {
    return [...this.informers.teams.store.values()].map(({ name: team }) => {
      const limit = bytesOf(this.informers.limitsOf(team).logBytes ?? '');
      return limit === undefined ? { team } : { team, limit };
    });
  }

  /** Their statuses say which are nearly full. */
  logsCounted(fills: ReadonlyMap<string, LogFill>): void {
    this.#triggers.teams.logsCounted(fills);
  }

  /** The database has something new about a team (row id) that its status shows. */
  teamRowChanged(id: number | 'all'): void {
    if (id === 'all') this.#triggers.teams.allRowsChanged();
    else void this.#teamNamed(id);
  }

  /** The authority that vouches for the gateway; a new one goes into all templates. */
  trust(certificateAuthority: string): void {
    if (certificateAuthority === this.#certificateAuthority) return;
    this.#certificateAuthority = certificateAuthority;
    for (const namespace of this.informers.watchedNamespaces())
      this.#triggers.pipelines.teamChanged(namespace);
  }

  stuckMs(): number {
    return Math.max(this.informers.stuckMs(), ...Object.values(this.#queues).map((queue) => queue.stuckMs()));
  }

  async #teamNamed(id: number): Promise<void> {
    // Without the name, the next look at all teams has it.
    const name = await this.#leadership.database.teams.teamName(id).catch(() => undefined);
    if (name !== undefined) this.#triggers.teams.rowChanged(name);
  }

  #workOnOAuthProvider(name: string): Promise<ReconcileResult> {
    const { client, config, database } = this.#leadership;
    const ports = { oauth: database.oauth, now: () => new Date() };
    return workOnOAuthProvider(name, {
      client,
      store: this.informers.oauthProviders.store,
      externalUrl: config.externalUrl,
      secretNames: [`${config.release}-oauth`, `${config.release}-oauth-api`],
      apply: (provider, by) => applyOAuthProvider(provider, ports, by),
      remove: (canonical, by) => removeOAuthProvider(canonical, ports, by),
    });
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
      pod: (change) => this.#podHeard?.(change),
      cronJob: (change) => this.#triggers.pipelines.cronJobChanged(change),
      reference: (kind, change) => this.#triggers.pipelines.referenceChanged(kind, change),
      problem: (what, problem) => this.#watchFailed(what, problem),
    };
  }

  /** Warns of an outage once for each watch, not at each try. */
  #watchFailed(what: string, { status, reason, message }: ApiProblem): void {
    this.#leadership.metrics.watchFailed(reason);
    const now = performance.now();
    const level = now - (this.#watchFailedAt.get(what) ?? -Infinity) < QUIET_MS ? 'debug' : 'warn';
    this.#watchFailedAt.set(what, now);
    this.#leadership.log[level]({ what, status, reason, message }, 'a watch had trouble');
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
        this.#teamHeard?.(namespace);
      },
    };
  }

  #pipelinesOptions(): PipelinesOptions {
    const { client, database, compiler, reader, keys } = this.#leadership;
    const { notifications } = database;
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
          notifications,
          now: () => new Date(),
        }),
      remove: (name, askedMsAgo) => removePipeline(name, askedMsAgo, { store, notifications }),
      facts: (name) => store.pipelineFacts(name),
      teamState: (team) => this.#states.teams.state(team),
    };
  }

  #installation(): Installation {
    const { release, namespace, image, imagePullPolicy, pods, internalUrl } = this.#leadership.config;
    const certificateAuthority = this.#certificateAuthority;
    return { release, namespace, image, imagePullPolicy, pods, gateway: internalUrl, certificateAuthority };
  }
}
