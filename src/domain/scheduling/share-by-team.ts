/**
 * The order in which work of several teams takes slots. The team that holds the fewest slots goes first, and
 * a slot that it takes counts immediately. Within a team, the order of its work stays. A team with 10,000
 * entries delays the first entry of another team that holds as few slots by at most one slot.
 */
export function shareByTeam<Work extends { team: string }>(
  waiting: readonly Work[],
  holders: Iterable<string>,
): Work[] {
  const slots = new Map<string, number>();
  for (const team of holders) slots.set(team, (slots.get(team) ?? 0) + 1);
  const ranked = waiting.map((work) => {
    const rank = slots.get(work.team) ?? 0;
    slots.set(work.team, rank + 1);
    return { work, rank };
  });
  // Sorting is stable: among teams that hold equally many slots, the one whose work is listed first goes
  // first.
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ work }) => work);
}
