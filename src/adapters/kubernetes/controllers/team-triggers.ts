import type { Informers } from '#adapters/kubernetes/informers/informers.ts';
import { namespaceOfTeam } from '#adapters/kubernetes/informers/owning-team.ts';
import type { TeamProjection } from '#adapters/kubernetes/informers/projections.ts';
import type { WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import type { ObjectChange } from '#adapters/kubernetes/watch/store.ts';
import type { LogFill } from '#domain/build/judge-logs.ts';
import type { WarmCount } from '#flows/pods/keep-warm-pods.ts';
import type { TeamStates } from './team-states.ts';

export interface TeamTriggersOptions {
  informers: Pick<Informers, 'teamOf' | 'leaveNamespace'>;
  queue: Pick<WorkQueue, 'add'>;
  states: TeamStates;
}

/** Enqueues Teams. */
export class TeamTriggers {
  readonly #options: TeamTriggersOptions;

  constructor(options: TeamTriggersOptions) {
    this.#options = options;
  }

  objectChanged(change: ObjectChange<TeamProjection>): void {
    if (change.type === 'deleted') {
      this.#options.states.forget(change.key);
      this.#leaveNamespace(change.object);
    }
    if (change.type === 'updated' && isNoChange(change.previous, change.object)) return;
    this.#options.queue.add(change.key);
  }

  /** A Pipeline was created in the namespace or deleted from it: the status of the Team counts Pipelines. */
  pipelinesChanged(namespace: string): void {
    const team = this.#options.informers.teamOf(namespace);
    if (team !== undefined) this.#options.queue.add(team.name);
  }

  /** A fact that the status shows has changed in the database. */
  rowChanged(name: string): void {
    this.#options.queue.add(name);
  }

  allRowsChanged(): void {
    for (const name of this.#options.states.readyTeams()) this.#options.queue.add(name);
  }

  logsCounted(fills: ReadonlyMap<string, LogFill>): void {
    for (const name of this.#options.states.logsCounted(fills)) this.#options.queue.add(name);
  }

  warmPodsCounted(counts: readonly WarmCount[]): void {
    for (const name of this.#options.states.warmPodsCounted(counts)) this.#options.queue.add(name);
  }

  /** Stops the informers of the namespace, unless another Team owns it. */
  #leaveNamespace(team: TeamProjection): void {
    const namespace = namespaceOfTeam(team);
    const owner = this.#options.informers.teamOf(namespace);
    if (owner === undefined || owner.name === team.name)
      void this.#options.informers.leaveNamespace(namespace);
  }
}

/** Whether an update needs no work: only the operator updates the status, and labels do not matter. */
function isNoChange(before: TeamProjection, after: TeamProjection): boolean {
  return (
    before.generation === after.generation &&
    before.deletedAt?.getTime() === after.deletedAt?.getTime() &&
    before.finalizers.length === after.finalizers.length
  );
}
