import { defined } from '#defined';
import { roleIn, type Identity } from '#domain/access/decide-access.ts';
import { roleIncludes } from '#domain/access/roles.ts';
import type { OverviewTeam } from '#domain/graph/overview-sections.ts';
import type { PipelineCard } from '#domain/graph/pipeline-card.ts';

/** Encodes a pipeline for the events of an overview. */
export function encodeCard({ displayName, failure, newest, ...card }: PipelineCard) {
  return {
    ...card,
    ...defined({ display_name: displayName }),
    ...(failure !== undefined && {
      failure: { job: failure.job, build: failure.number, at: failure.at, jobs: failure.jobs },
    }),
    ...(newest !== undefined && { latest: { job: newest.job, build: newest.number, at: newest.at } }),
  };
}

/** Encodes a team of an overview, with the role of the viewer if they are a member. */
export function encodeOverviewTeam(
  { displayName, ...team }: OverviewTeam,
  viewer: Pick<Identity, 'globalAdmin' | 'teams'>,
) {
  return {
    ...team,
    ...defined({ display_name: displayName, role: viewer.teams.get(team.name) }),
    may_create: mayCreatePipelines(viewer, team.name),
  };
}

export function mayCreatePipelines(viewer: Pick<Identity, 'globalAdmin' | 'teams'>, team: string): boolean {
  return roleIncludes(roleIn(viewer, team), 'maintain');
}

/** The teams in the overview of a person: the person's own teams, or all teams for a global admin. */
export function overviewScope({ globalAdmin, teams }: Pick<Identity, 'globalAdmin' | 'teams'>) {
  return globalAdmin ? 'all' : [...teams.keys()];
}
