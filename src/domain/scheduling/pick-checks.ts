import { shareByTeam } from './share-by-team.ts';

/** A check that wants a Pod, of its own or with others of its group. */
export interface WantedCheck {
  scope: number;
  team: string;
  /** Unique among all pipelines. */
  group: string;
}

/** A run that has not ended. */
export interface OpenCheck {
  team: string;
  group: string;
  /** Kubernetes created its Pod from a CronJob: it takes none of the places that the operator gives. */
  byCronJob: boolean;
  /** Its Pod exists and its agent has not spoken yet. */
  starting: boolean;
}

export interface CheckLimits {
  /** Check Pods that the operator runs at a time, over all teams. */
  pods: number;
  /** Check Pods that may be starting at a time, over all teams. */
  starting: number;
  /** How many more a team may have now, CronJob runs counted. */
  roomOf: (team: string) => number;
}

export interface PickedChecks<Check> {
  groups: Check[][];
  /** Due, and held back by a limit. */
  held: Check[];
}

/**
 * Which checks get a Pod now: one Pod for each group, and no more than the limits allow. Teams take turns. A
 * team for which the operator runs no check gets a place even when others hold all of them, so a team can
 * wait only for its own checks. Likewise for Pods that are starting, up to twice their limit.
 */
export function pickChecks<Check extends WantedCheck>(
  due: readonly Check[],
  open: readonly OpenCheck[],
  limits: CheckLimits,
): PickedChecks<Check> {
  const picked: PickedChecks<Check> = { groups: [], held: [] };
  const places = new Places(open, limits);
  const groups = [...Map.groupBy(due, (check) => check.group)].flatMap(([group, checks]) => {
    const [first] = checks;
    return first === undefined ? [] : [{ group, team: first.team, checks }];
  });
  for (const { group, team, checks } of shareByTeam(groups, places.holders())) {
    if (places.take(team, group)) picked.groups.push(checks);
    else picked.held.push(...checks);
  }
  return picked;
}

class Places {
  readonly #limits: CheckLimits;
  readonly #running: OpenCheck[];
  readonly #groups: Set<string>;
  readonly #room = new Map<string, number>();

  constructor(open: readonly OpenCheck[], limits: CheckLimits) {
    this.#limits = limits;
    this.#running = open.filter(({ byCronJob }) => !byCronJob);
    this.#groups = new Set(open.map(({ group }) => group));
  }

  holders(): string[] {
    return this.#running.map(({ team }) => team);
  }

  take(team: string, group: string): boolean {
    const room = this.#room.get(team) ?? this.#limits.roomOf(team);
    if (room <= 0 || this.#groups.has(group) || !this.#hasPlace(team) || !this.#mayStart(team)) return false;
    this.#room.set(team, room - 1);
    this.#groups.add(group);
    this.#running.push({ team, group, byCronJob: false, starting: true });
    return true;
  }

  #hasPlace(team: string): boolean {
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
