import type { TeamProjection } from './projections.ts';

export function namespaceOfTeam(team: Pick<TeamProjection, 'name' | 'spec'>): string {
  return team.spec.namespace ?? team.name;
}

/**
 * The Team whose namespace this is. Of several that name it, one that was refused it comes last, then the
 * oldest wins, so that the order in which they are seen decides nothing: the label of the namespace names the
 * one that has it, and refuses the others.
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
