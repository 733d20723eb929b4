import type { FastifyRequest } from 'fastify';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { TeamParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { callApi } from './call-api.ts';
import { confirmedForm } from './confirmed-form.ts';
import { EMPTY_FORM, fieldProblem, type FormState } from './form-fields.ts';
import type { Html } from './html.ts';
import { form, page } from './page.ts';
import { settingsPath, teamSettingsLayout } from './settings-layout.ts';
import { generalMain } from './team-settings-sections.ts';
import { shellsForm } from './team-shells.ts';
import { may, teamViewerOf } from './viewer.ts';

const SETTINGS = '/teams/:team/settings';
const TEAM = '/teams/:team';

/** The page of the general settings of a team: its name, its limits, and what it uses. */
export function teamSettingsPages(ports: AccessPorts): PageRoute[] {
  return [
    page({
      url: SETTINGS,
      params: TeamParams,
      answer: async ({ params: { team = '' }, request }) =>
        await settingsPage(ports, request, team, EMPTY_FORM),
    }),
    displayNameForm(ports),
    shellsForm(ports),
    confirmedForm(ports, {
      url: `${TEAM}/delete`,
      calls: { method: 'DELETE', url: TEAM },
      params: TeamParams,
      ask: ({ team = '' }) => ({
        title: `Delete team ${team}?`,
        consequence:
          'Its members, secrets and API tokens are deleted. Its namespace stays, with what you created there. ' +
          'A team that has pipelines is not deleted.',
        button: `Delete team ${team}`,
        back: `${settingsPath(team)}/settings`,
      }),
      to: () => '/teams',
    }),
  ];
}

async function settingsPage(
  { members, teamUse, codec }: AccessPorts,
  request: FastifyRequest,
  name: string,
  state: FormState,
): Promise<Html> {
  const [teamView, use] = await Promise.all([members.team(name), teamUse.useOf(name)]);
  const team = requireFound(teamView, `Team ${name}`);
  const teamViewer = teamViewerOf(request, codec, name);
  const { displayName = name } = team;
  return teamSettingsLayout({
    team: name,
    displayName,
    section: 'General',
    title: `Settings of ${displayName}`,
    viewer: teamViewer.viewer,
    main: generalMain({
      team,
      use: requireFound(use, `Team ${name}`),
      viewer: teamViewer.viewer,
      mayChange: may(teamViewer, 'admin'),
      state,
    }),
  });
}

function displayNameForm(ports: AccessPorts): PageRoute {
  return form({
    url: SETTINGS,
    calls: { method: 'PUT', url: TEAM },
    params: TeamParams,
    answer: async ({ params: { team = '' }, fields, request }) => {
      const { display_name: name = '' } = fields;
      const { status, problem } = await callApi(request, {
        method: 'PUT',
        url: settingsPath(team),
        body: { display_name: name.trim() },
        csrfToken: fields['csrf_token'],
      });
      if (problem === undefined) return { to: `${settingsPath(team)}/settings` };
      const state = {
        values: { display_name: name },
        problem: fieldProblem(problem, ['display_name'], 'display_name'),
      };
      return { status, page: await settingsPage(ports, request, team, state) };
    },
  });
}
