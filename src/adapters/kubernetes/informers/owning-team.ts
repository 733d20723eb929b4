import type { TeamProjection } from './projections.ts';

export function namespaceOfTeam(team: Pick<TeamProjection, 'name' | 'spec'>): string {
  return team.spec.namespace ?? team.name;
}

/**
 * The Team that owns the namespace. If several Teams name it, one that was not refused wins, then the oldest,
 * so the order of events does not matter. The other Teams are refused, since the namespace has the owner's
 * label.
 */
export function owningTeam(teams: Iterable<TeamProjection>, namespace: string): TeamProjection | undefined {
  const [owner] = [...teams].filter((team) => namespaceOfTeam(team) === namespace).toSorted(byClaim);
  return owner;
}

function byClaim(one: TeamProjection, other: TeamProjection): number {
  return (
    Number(isRefused(one)) - Number(isRefused(other)) ||
    (one.createdAt?.getTime() ?? 0) - (other.createdAt?.getTime() ?? 0) ||
    (one.name < other.name ? -1 : 1)
  );
}

function isRefused({ status }: TeamProjection): boolean {
  const stalled = status?.conditions?.find(({ type }) => type === 'Stalled');
  return stalled?.status === 'True' && stalled.reason.startsWith('Namespace');
}
