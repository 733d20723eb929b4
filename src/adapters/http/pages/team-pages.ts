import type { AccountPorts } from '#adapters/http/api/account-ports.ts';
import { accountOf } from '#adapters/http/api/caller.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { TeamParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { TeamView } from '#flows/people/ports.ts';
import type { PipelineView } from '#flows/views/ports.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { page, viewerOf } from './page.ts';
import { paths } from './paths.ts';
import { settingsPath } from './settings-layout.ts';

/** Teams whose pipelines are listed at once; of the others only the names. */
const MAX_TEAMS = 20;

/** The first pages: teams and their pipelines. */
export function teamPages({ views }: PipelinePorts, { members, codec }: AccountPorts): PageRoute[] {
  const one = (url: string): PageRoute =>
    page({
      url,
      params: TeamParams,
      answer: async ({ params: { team = '' }, request }) => {
        const [view, pipelines] = await Promise.all([members.team(team), views.pipelines(team)]);
        const { displayName = team } = requireFound(view, `Team ${team}`);
        return layout({
          title: displayName,
          viewer: viewerOf(request, codec),
          breadcrumbs: [{ name: 'Teams', url: '/teams' }],
          main: html`<h1>${displayName}</h1>
            <p><a href="${settingsPath(team)}/settings">Settings</a></p>
            ${pipelineList(pipelines)}`,
        });
      },
    });
  return [
    page({ url: '/', answer: async () => ({ to: '/teams' }) }),
    page({
      url: '/teams',
      answer: async ({ request }) => {
        const { globalAdmin, userId } = accountOf(request.identity);
        const teams = await members.teams(globalAdmin ? 'all' : { userId });
        const sections: Html[] = [];
        for (const team of teams.slice(0, MAX_TEAMS)) {
          sections.push(teamSection(team, pipelineList(await views.pipelines(team.name))));
        }
        for (const team of teams.slice(MAX_TEAMS)) sections.push(teamSection(team, html``));
        const nothing = html`<p>You are in no team yet. An admin of a team can add you.</p>`;
        return layout({
          title: 'Teams',
          viewer: viewerOf(request, codec),
          main: html`<h1>Teams</h1>
            ${sections.length === 0 ? nothing : sections}`,
        });
      },
    }),
    one('/teams/:team'),
    one('/teams/:team/pipelines'),
  ];
}

function teamSection({ name, displayName = name, role }: TeamView, pipelines: Html): Html {
  return html`<section>
    <h2>
      <a href="${paths.team(name)}">${displayName}</a
      >${role !== undefined && html` <span class="tag">${role}</span>`}
    </h2>
    ${pipelines}
  </section>`;
}

function pipelineList(pipelines: readonly PipelineView[]): Html {
  if (pipelines.length === 0) return html`<p>No pipelines yet.</p>`;
  return html`<ul class="rows">
    ${pipelines.map(
      (one) =>
        html`<li>
          <a href="${paths.pipeline({ team: one.team, pipeline: one.name })}"
            >${one.displayName ?? one.name}</a
          >
          <span class="help">${countOf(one.jobs, 'job')}, ${countOf(one.resources, 'resource')}</span
          >${one.paused && PAUSED_TAG}${one.public && PUBLIC_TAG}
        </li>`,
    )}
  </ul>`;
}

const PAUSED_TAG = html` <span class="tag paused">paused</span>`;
const PUBLIC_TAG = html` <span class="tag">public</span>`;

export function countOf(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
