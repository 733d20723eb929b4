import { shareByTeam } from './share-by-team.ts';

/** A check that needs a Pod. */
export interface WantedCheck {
  scope: number;
  team: string;
  /** Checks of a group share a Pod. Unique among all pipelines. */
  group: string;
}

/** A check run that has not ended. */
export interface OpenCheck {
  team: string;
  group: string;
  /** Kubernetes created the Pod of the run from a CronJob. Such a run does not count towards `pods`. */
  byCronJob: boolean;
  /** The Pod of the run exists, but its agent has not connected yet. */
  starting: boolean;
}

export interface CheckLimits {
  /** Check Pods that the operator runs at a time, over all teams. */
  pods: number;
  /** Check Pods that may be starting at a time, over all teams. */
  starting: number;
  /** How many more check Pods a team may have now. Runs that its CronJobs started count, too. */
  freeSlotsOf: (team: string) => number;
}

export interface PickedChecks<Check> {
  groups: Check[][];
  /** Due checks that must wait: a limit holds them back, or a run of their group is open. */
  held: Check[];
}

/**
 * Which checks get a Pod now: one Pod per group, within the limits. Teams take turns. A team without a
 * running check gets a slot even if other teams hold all of them. A team without a starting Pod may exceed
 * the limit of starting Pods, up to twice that limit.
 */
export function pickChecks<Check extends WantedCheck>(
  due: readonly Check[],
  open: readonly OpenCheck[],
  limits: CheckLimits,
): PickedChecks<Check> {
  const picked: PickedChecks<Check> = { groups: [], held: [] };
  const slots = new CheckSlots(open, limits);
  const groups = [...Map.groupBy(due, (check) => check.group)].flatMap(([group, checks]) => {
    const [first] = checks;
    return first === undefined ? [] : [{ group, team: first.team, checks }];
  });
  for (const { group, team, checks } of shareByTeam(groups, slots.holders())) {
    if (slots.take(team, group)) picked.groups.push(checks);
    else picked.held.push(...checks);
  }
  return picked;
}

class CheckSlots {
  readonly #limits: CheckLimits;
  readonly #running: OpenCheck[];
  readonly #groups: Set<string>;
  readonly #freeSlots = new Map<string, number>();

  constructor(open: readonly OpenCheck[], limits: CheckLimits) {
    this.#limits = limits;
    this.#running = open.filter(({ byCronJob }) => !byCronJob);
    this.#groups = new Set(open.map(({ group }) => group));
  }

  /** The team of each slot that is taken. */
  holders(): string[] {
    return this.#running.map(({ team }) => team);
  }

  /** Takes a slot for the Pod of a group, if the limits allow it and no run of the group is open. */
  take(team: string, group: string): boolean {
    const freeSlots = this.#freeSlots.get(team) ?? this.#limits.freeSlotsOf(team);
    if (freeSlots <= 0 || this.#groups.has(group) || !this.#hasSlot(team) || !this.#mayStart(team))
      return false;
    this.#freeSlots.set(team, freeSlots - 1);
    this.#groups.add(group);
    this.#running.push({ team, group, byCronJob: false, starting: true });
    return true;
  }

  #hasSlot(team: string): boolean {
    return this.#running.length < this.#limits.pods || !this.#running.some((run) => run.team === team);
  }

  #mayStart(team: string): boolean {
    const starting = this.#running.filter((run) => run.starting);
    const limit = starting.some((run) => run.team === team)
      ? this.#limits.starting
      : 2 * this.#limits.starting;
    return starting.length < limit;
  }
}
