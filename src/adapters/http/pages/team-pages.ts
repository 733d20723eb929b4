import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { accountOf } from '#adapters/http/api/caller.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { mayCreatePipelines, overviewScope } from '#adapters/http/api/pipeline-cards.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { TeamParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { noPipelines, noTeam } from './empty-overview.ts';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { overview, readOverviewQuery } from './overview.ts';
import { page, viewerOf } from './page.ts';
import { paths } from './paths.ts';
import { settingsPath } from './settings-layout.ts';
import { may, teamViewerOf } from './viewer.ts';

const SCRIPT = 'overview-page.js';
const EVENTS = '/overview/events';

/** The overviews: the pipelines of all teams of a person, and those of one team. */
export function teamPages(ports: PipelinePorts, access: AccessPorts): PageRoute[] {
  return [
    page({ url: '/', answer: async () => ({ to: '/teams' }) }),
    teamsPage(ports, access),
    teamPage('/teams/:team', ports, access),
    teamPage('/teams/:team/pipelines', ports, access),
  ];
}

function teamsPage({ cards }: PipelinePorts, { codec }: AccessPorts): PageRoute {
  return page({
    url: '/teams',
    answer: async ({ request, query }) => {
      const account = accountOf(request.identity);
      const teams = await cards.teams(overviewScope(account));
      const shownTeams = teams.filter((team) => team.shown).map(({ name }) => name);
      const content = overview({
        base: '/teams',
        events: EVENTS,
        teams: teams.map((team) => ({
          ...team,
          role: account.teams.get(team.name),
          mayCreate: mayCreatePipelines(account, team.name),
        })),
        cards: await cards.recentOfTeams(shownTeams),
        ...readOverviewQuery(query),
      });
      return layout({
        title: 'Teams',
        viewer: viewerOf(request, codec),
        script: SCRIPT,
        main: html`<h1>Teams</h1>
          ${teams.length === 0 ? noTeam(account.user, account.globalAdmin) : content}`,
      });
    },
  });
}

function teamPage(url: string, { cards }: PipelinePorts, { members, codec }: AccessPorts): PageRoute {
  return page({
    url,
    params: TeamParams,
    answer: async ({ params: { team: name = '' }, query, request }) => {
      const [overviewTeams, shownCards, namespace = name] = await Promise.all([
        cards.teams([name]),
        cards.recentOfTeams([name]),
        members.namespaceOf(name),
      ]);
      const team = requireFound(overviewTeams[0], `Team ${name}`);
      const { displayName = name } = team;
      const teamViewer = teamViewerOf(request, codec, name);
      const { viewer, role } = teamViewer;
      const content = overview({
        base: paths.team(name),
        events: `${EVENTS}?team=${encodeURIComponent(name)}`,
        teams: [{ ...team, role, mayCreate: may(teamViewer, 'maintain') }],
        cards: shownCards,
        ...readOverviewQuery(query),
      });
      return layout({
        title: displayName,
        viewer,
        breadcrumbs: [{ name: 'Teams', url: '/teams' }],
        script: SCRIPT,
        main: html`<h1>${displayName}</h1>
          <p class="tools">
            ${may(teamViewer, 'maintain') && html`<a href="${paths.newPipeline(name)}">New pipeline</a>`}
            <a href="${settingsPath(name)}/settings">Settings</a>
            <a href="${paths.team(name)}/triggers">Triggers</a>
          </p>
          ${content} ${noPipelines({ team: name, namespace, role, hidden: shownCards.length > 0 })}`,
      });
    },
  });
}
