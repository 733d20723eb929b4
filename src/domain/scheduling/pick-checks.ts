/** A check that wants a Pod, of its own or with others of its group. */
export interface WantedCheck {
  scope: number;
  team: string;
  /** Unique among all pipelines. */
  group: string;
}

export interface CheckLimits {
  /** Check Pods at a time, in all. */
  pods: number;
  /** How many more a team may have now. */
  roomOf: (team: string) => number;
}

export interface PickedChecks<Check> {
  groups: Check[][];
  /** They go first when a Pod ends. */
  held: Check[];
}

/** Which checks get a Pod now: oldest due first, one Pod for each group, and no more than the limits allow. */
export function pickChecks<Check extends WantedCheck>(
  due: readonly Check[],
  open: readonly { team: string; group: string }[],
  limits: CheckLimits,
): PickedChecks<Check> {
  const running = [...open];
  const room = new Map<string, number>();
  const picked: PickedChecks<Check> = { groups: [], held: [] };
  for (const [group, checks] of Map.groupBy(due, (check) => check.group)) {
    const team = checks[0]?.team ?? '';
    const left = room.get(team) ?? limits.roomOf(team);
    const full = running.length >= limits.pods || left <= 0 || running.some((run) => run.group === group);
    if (full) {
      picked.held.push(...checks);
      continue;
    }
    picked.groups.push(checks);
    room.set(team, left - 1);
    running.push({ team, group });
  }
  return picked;
}
