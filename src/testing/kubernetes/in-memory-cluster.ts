import { defined } from '#defined';
import type { WarmSettings } from '#domain/scheduling/decide-warm-pods.ts';
import type { CacheClaim, CacheSettings, ClaimAnswer } from '#flows/pods/cache-ports.ts';
import type { AdmittedPod, Cluster, CreatePodAnswer, PodFacts } from '#flows/pods/ports.ts';
import type { ForeignPods } from '#flows/pods/verify-pods.ts';
import type { WarmPodToCreate, WarmTeam } from '#flows/pods/warm-ports.ts';
import type { CheckRunFacts, OpenAttempt, PendingBuild } from '#flows/pods/workloads.ts';

type Refusal = CreatePodAnswer & { answer: 'refused' };

/** Pods in memory, by name. As in a real cluster, a second creation for the same work finds the first Pod. */
export class InMemoryCluster implements Cluster {
  readonly pods = new Map<string, PodFacts>();
  /** Names of all Pods ever created, in order. */
  readonly createdNames: string[] = [];
  /** How many check Pods each team may have at a time. */
  checkSlots = Infinity;
  /** Whether the operator has listed the Pods; false as in a leader that has just started. */
  isListed = true;
  /** Settings of the volumes of caches. Undefined: caches have no volumes. */
  caches: CacheSettings | undefined;
  readonly claims: CacheClaim[] = [];
  /** Settings of warm Pods. Undefined: there are none. */
  warm: WarmSettings | undefined;
  /** How many nodes take Pods. Each node allows four starting Pods. */
  nodesThatTakePods = 100;
  /** If set, called with the name of each Pod to create. Returns why the cluster refuses it. */
  refuse: ((name: string) => Refusal | undefined) | undefined;
  #uid = 0;

  async createBuildPod(build: PendingBuild): Promise<CreatePodAnswer> {
    const name = podName(build);
    return this.#create(build.namespace, name, { kind: 'build', build: build.id, attempt: build.attempt });
  }

  async createCheckPod(run: CheckRunFacts): Promise<CreatePodAnswer> {
    const { namespace, pipelineId } = run;
    return this.#create(namespace, `check-${run.run}`, { kind: 'checks', pipelineId, run: run.run });
  }

  async findBuildPod(attempt: OpenAttempt): Promise<PodFacts | undefined> {
    return this.pods.get(attempt.podName ?? podName(attempt));
  }

  teamPods(name: string): ReturnType<Cluster['teamPods']> {
    const limits = { build: Infinity, check: this.checkSlots };
    return { rules: { name, workers: [] }, limits, ...defined({ caches: this.caches, warm: this.warm }) };
  }

  async prepareClaim(claim: CacheClaim): Promise<ClaimAnswer> {
    this.claims.push(claim);
    return { answer: 'ready' };
  }

  /** The Team `main`, if `warm` is set and the Pods are listed. */
  warmTeams(): WarmTeam[] {
    return this.warm === undefined || !this.isListed
      ? []
      : [{ team: 'main', namespace: 'main', settings: this.warm }];
  }

  shapeOf(_team: string, { containers, deadlineSeconds }: AdmittedPod): string {
    return JSON.stringify([containers, deadlineSeconds]);
  }

  async createWarmPod({ id, namespace }: WarmPodToCreate): Promise<CreatePodAnswer & { name: string }> {
    const name = `warm-${id}`;
    return { ...this.#create(namespace, name, { kind: 'warm', warm: id }), name };
  }

  nodeLabel(tag: string): string {
    return tag;
  }

  podsListed(): boolean {
    return this.isListed;
  }

  runningPods(_team: string, kind: 'build' | 'check'): number | undefined {
    if (!this.isListed) return undefined;
    const kindOfWork = kind === 'build' ? 'build' : 'checks';
    const pods = [...this.pods.values()];
    return pods.filter(({ work, phase }) => work.kind === kindOfWork && phase !== 'Succeeded').length;
  }

  nodes(): { cores: number }[] {
    return Array.from({ length: this.nodesThatTakePods }, () => ({ cores: 4 }));
  }

  startsPerNode(): number {
    return 4;
  }

  sharing(): 'alone' {
    return 'alone';
  }

  async deletePod(_namespace: string, name: string, uid: string): Promise<void> {
    if (this.pods.get(name)?.uid === uid) this.pods.delete(name);
  }

  /** Changes what the cluster reports of a Pod. */
  change(name: string, more: Partial<PodFacts>): PodFacts {
    const pod = this.pods.get(name);
    if (pod === undefined) throw new Error(`There is no Pod ${name}.`);
    const changed = { ...pod, ...more };
    this.pods.set(name, changed);
    return changed;
  }

  #create(namespace: string, name: string, work: PodFacts['work']): CreatePodAnswer {
    const refusal = this.refuse?.(name);
    if (refusal !== undefined) return refusal;
    const existing = this.pods.get(name);
    if (existing !== undefined) return { answer: 'exists', uid: existing.uid };
    this.#uid += 1;
    const uid = `uid-${this.#uid}`;
    const agent = { name: 'agent', image: 'millrace', state: 'waiting' as const };
    const state = { deleting: false, phase: 'Pending', scheduled: true, containers: [agent] } as const;
    this.pods.set(name, {
      namespace,
      name,
      uid,
      work,
      sealed: true,
      createdAt: new Date(),
      ...state,
      containers: [agent],
    });
    this.createdNames.push(name);
    return { answer: 'created', uid };
  }
}

function podName({ pipeline, job, number, attempt }: OpenAttempt | PendingBuild): string {
  return `${pipeline}-${job}-${number}-${attempt}`;
}

/** Records foreign Pods and the problems reported about them. */
export class RecordedForeignPods implements ForeignPods {
  readonly messages: string[] = [];
  readonly #pods = new Set<PodFacts>();

  has(pod: PodFacts): boolean {
    return this.#pods.has(pod);
  }

  add(pod: PodFacts, message: string): void {
    this.#pods.add(pod);
    this.messages.push(`${pod.namespace}/${pod.name}: ${message}`);
  }
}
