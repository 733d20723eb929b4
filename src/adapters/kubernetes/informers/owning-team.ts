import type { TeamProjection } from './projections.ts';

export function namespaceOfTeam(team: Pick<TeamProjection, 'name' | 'spec'>): string {
  return team.spec.namespace ?? team.name;
}

/**
 * The Team that owns the namespace. Several Teams may name the same namespace. Then a Team that was not
 * refused comes before one that was, and an older Team before a newer one. So the owner does not depend on
 * the order of events. The other Teams are refused, because the label of the namespace names the owner.
 */
export function owningTeam(teams: Iterable<TeamProjection>, namespace: string): TeamProjection | undefined {
  const [owner] = [...teams].filter((team) => namespaceOfTeam(team) === namespace).toSorted(compareClaims);
  return owner;
}

function compareClaims(first: TeamProjection, second: TeamProjection): number {
  return (
    Number(isRefused(first)) - Number(isRefused(second)) ||
    (first.createdAt?.getTime() ?? 0) - (second.createdAt?.getTime() ?? 0) ||
    (first.name < second.name ? -1 : 1)
  );
}

function isRefused({ status }: TeamProjection): boolean {
  const stalled = status?.conditions?.find(({ type }) => type === 'Stalled');
  return stalled?.status === 'True' && stalled.reason.startsWith('Namespace');
}
