import { Type } from 'typebox';
import { accountOf } from '#adapters/http/api/caller.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { encodeOverviewTeam, overviewScope } from '#adapters/http/api/pipeline-cards.ts';
import { TeamParams } from '#adapters/http/api/schemas.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { isMember } from '#domain/access/decide-access.ts';
import type { OverviewTeam } from '#domain/graph/overview-sections.ts';
import type { PipelineCards } from '#flows/views/show-cards.ts';
import { encodeEvent } from './encode-event.ts';
import { Events } from './events-schema.ts';
import type { OpenStreams } from './open-streams.ts';
import type { OverviewFeed } from './overview-feed.ts';

interface OverviewParts {
  ports: { cards: Pick<PipelineCards, 'teams'> };
  readonly streams: OpenStreams;
  overview: OverviewFeed;
}

/**
 * The route of one stream for all pipelines of a person or of a team, because a browser opens only a few
 * connections to a server. The stream ends when the person is no longer a member of one of the teams in it.
 */
export function overviewEvents(live: OverviewParts): Route {
  return route({
    method: 'GET',
    url: '/overview/events',
    needs: 'user',
    about:
      'The states of the pipelines of your teams, or of `team`, as ' +
      '[server-sent events](../how-to/follow-live.md): `teams`, then `team` with all pipelines of each, ' +
      'then `changes`.',
    schema: {
      querystring: Type.Object({ team: Type.Optional(TeamParams.properties.team) }),
      response: Events,
    },
    handler: async (request, reply) => {
      const account = accountOf(request.identity);
      const teams = await shownTeamsOf(account, request.query.team, live.ports.cards);
      const names = teams.filter(({ shown }) => shown).map(({ name }) => name);
      const stream = live.streams.answer('overview', request, reply, (identity) =>
        names.every((name) => isMember(identity, name)),
      );
      if (!stream.open) return;
      stream.write(
        encodeEvent({
          name: 'teams',
          data: { teams: teams.map((team) => encodeOverviewTeam(team, account)) },
        }),
      );
      stream.closed = live.overview.add(stream, names);
    },
  });
}

async function shownTeamsOf(
  account: ReturnType<typeof accountOf>,
  team: string | undefined,
  cards: Pick<PipelineCards, 'teams'>,
): Promise<OverviewTeam[]> {
  if (team === undefined) return await cards.teams(overviewScope(account));
  if (!isMember(account, team))
    throw new Problem(
      'forbidden',
      `This needs the role read in team ${team}. Ask an admin of the team for it.`,
    );
  const overviewTeams = await cards.teams([team]);
  requireFound(overviewTeams[0], `Team ${team}`);
  return overviewTeams;
}
