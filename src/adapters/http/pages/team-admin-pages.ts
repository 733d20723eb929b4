import type { FastifyRequest } from 'fastify';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { TeamLimitsAndUsage } from '#flows/people/team-use-ports.ts';
import { formatBytes } from './amounts.ts';
import { callApi } from './call-api.ts';
import { htmlTable } from './data-table.ts';
import { EMPTY_FORM, fieldProblem, formProblem, textField, type FormState } from './form-fields.ts';
import { html, type Html } from './html.ts';
import { csrfField, scrolling, type Viewer } from './layout.ts';
import { form, page, viewerOf } from './page.ts';
import { installationSettings, settingsPath } from './settings-layout.ts';

/** The first page for global admins: all teams with what they use, and the form that creates a team. */
export function teamAdminPages(ports: AccessPorts): PageRoute[] {
  return [
    page({ url: '/admin', answer: async () => ({ to: '/admin/teams' }) }),
    page({
      url: '/admin/teams',
      answer: async ({ request }) => await teamsPage(ports, request, EMPTY_FORM),
    }),
    createForm(ports),
  ];
}

async function teamsPage(
  { teamUse, codec }: AccessPorts,
  request: FastifyRequest,
  state: FormState,
): Promise<Html> {
  const viewer = viewerOf(request, codec);
  const teams = await teamUse.useOfTeams();
  return installationSettings({
    section: 'Teams',
    title: 'All teams',
    viewer,
    main: html`${teams.length === 0 ? html`<p>There is no team yet.</p>` : teamTable(teams)}
    ${createSection(state, viewer)}`,
  });
}

function createForm(ports: AccessPorts): PageRoute {
  return form({
    url: '/teams',
    answer: async ({ fields, request }) => {
      const { name = '', display_name: displayName = '' } = fields;
      const team = name.trim();
      const { status, problem } = await callApi(request, {
        method: 'POST',
        url: '/teams',
        body: { name: team, ...(displayName.trim() !== '' && { display_name: displayName.trim() }) },
        csrfToken: fields['csrf_token'],
      });
      // With 202, the operator is still creating the team, so its pages do not exist yet.
      if (problem === undefined)
        return { to: status === 202 ? '/admin/teams' : `${settingsPath(team)}/members` };
      const state = {
        values: { name, display_name: displayName },
        problem: fieldProblem(problem, ['name', 'display_name'], 'name'),
      };
      return { status, page: await teamsPage(ports, request, state) };
    },
  });
}

function teamTable(teams: readonly TeamLimitsAndUsage[]): Html {
  return scrolling(
    'Teams',
    htmlTable(teams, [
      {
        title: 'Team',
        cell: ({ team, displayName = team }) =>
          html`<a href="${settingsPath(team)}/settings">${displayName}</a>`,
      },
      { title: 'Namespace', cell: ({ namespace }) => html`<span class="code">${namespace}</span>` },
      {
        title: 'Running',
        cell: ({ usage, limits: { runningBuilds } }) =>
          runningBuilds === undefined ? usage.runningBuilds : `${usage.runningBuilds} of ${runningBuilds}`,
      },
      { title: 'Queued', cell: ({ usage }) => usage.queuedBuilds },
      { title: 'Logs', cell: ({ usage }) => formatBytes(usage.logBytes) },
      {
        title: 'Caches',
        cell: ({ usage }) => (usage.caches === 0 ? '–' : `${usage.caches}, ${formatBytes(usage.cacheBytes)}`),
      },
      { title: 'Warm Pods', cell: ({ usage }) => usage.warmPods },
    ]),
  );
}

function createSection(state: FormState, viewer: Viewer | undefined): Html {
  return html`<section aria-labelledby="create">
    <h2 id="create">Create a team</h2>
    <p class="help">You become its first admin. To manage a team by manifest, apply a Team object instead.</p>
    <form method="post" action="/teams" class="team-form">
      ${csrfField(viewer)} ${formProblem(state)}
      ${textField({
        id: 'team-name',
        name: 'name',
        label: 'Name',
        help: 'Lower-case letters, digits and hyphens. Its namespace has the same name.',
        state,
        required: true,
        maxLength: 63,
      })}
      ${textField({
        id: 'team-display-name',
        name: 'display_name',
        label: 'Display name',
        state,
        maxLength: 100,
      })}
      <button type="submit">Create team</button>
    </form>
  </section>`;
}
