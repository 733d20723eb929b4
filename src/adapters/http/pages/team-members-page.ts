import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { Username } from '#adapters/http/api/request-bodies.ts';
import { TeamParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { callApi } from './call-api.ts';
import { confirmedForm, fillPath } from './confirmed-form.ts';
import { EMPTY_FORM, fieldProblem } from './form-fields.ts';
import type { Html } from './html.ts';
import { form, page } from './page.ts';
import { settingsPath, teamSettingsLayout } from './settings-layout.ts';
import { membersMain, type MembersState } from './team-members-sections.ts';
import { may, teamViewerOf } from './viewer.ts';

const MEMBERS = '/teams/:team/members';
const MEMBER = `${MEMBERS}/:username`;
const MemberParams = Type.Object({ ...TeamParams.properties, username: Username });
const NO_ENTRIES: MembersState = { adding: EMPTY_FORM, group: EMPTY_FORM };

/** The page of the members of a team, and of the groups of identity providers that give roles in it. */
export function teamMembersPages(ports: AccessPorts): PageRoute[] {
  return [
    page({
      url: MEMBERS,
      params: TeamParams,
      answer: async ({ params, request }) => await membersPage(ports, request, params['team'] ?? ''),
    }),
    addForm(ports),
    roleForm(ports),
    confirmedForm(ports, {
      url: `${MEMBER}/delete`,
      calls: { method: 'DELETE', url: MEMBER },
      params: MemberParams,
      ask: ({ team = '', username = '' }) => ({
        title: `Remove ${username}?`,
        consequence: `${username} loses their role in team ${team} and their API tokens for it, at once.`,
        button: `Remove ${username}`,
        back: membersPath(team),
      }),
      // People who remove themselves may no longer see the team.
      to: ({ team = '', username }, user) => (username === user ? '/teams' : membersPath(team)),
    }),
    addGroupForm(ports),
    removeGroupForm(ports),
  ];
}

const membersPath = (team: string): string => `${settingsPath(team)}/members`;

async function membersPage(
  { members, oauth, codec }: AccessPorts,
  request: FastifyRequest,
  name: string,
  state = NO_ENTRIES,
): Promise<Html> {
  const [team, people, providers] = await Promise.all([
    members.team(name),
    members.members(name),
    oauth.providers(),
  ]);
  const existingTeam = requireFound(team, `Team ${name}`);
  const teamViewer = teamViewerOf(request, codec, name);
  const { displayName = name } = existingTeam;
  return teamSettingsLayout({
    team: name,
    displayName,
    section: 'Members',
    title: `Members of ${displayName}`,
    viewer: teamViewer.viewer,
    main: membersMain({
      team: existingTeam,
      members: people ?? [],
      providers: providers
        .filter(({ enabled, groupsClaim }) => enabled && groupsClaim !== undefined)
        .map(({ canonical, displayName: label = canonical }) => ({ value: canonical, label })),
      viewer: teamViewer.viewer,
      mayChange: may(teamViewer, 'admin'),
      state,
    }),
  });
}

function addForm(ports: AccessPorts): PageRoute {
  return form({
    url: MEMBERS,
    params: TeamParams,
    answer: async ({ params, fields, request }) => {
      const { team = '' } = params;
      const { username = '', role = '' } = fields;
      const { status, problem } = await callApi(request, {
        method: 'POST',
        url: membersPath(team),
        body: { username: username.trim(), role },
        csrfToken: fields['csrf_token'],
      });
      if (problem === undefined) return { to: membersPath(team) };
      const adding = {
        values: { username, role },
        problem: fieldProblem(problem, ['username', 'role'], 'username'),
      };
      return { status, page: await membersPage(ports, request, team, { ...NO_ENTRIES, adding }) };
    },
  });
}

function roleForm(ports: AccessPorts): PageRoute {
  return form({
    url: MEMBER,
    calls: { method: 'PUT', url: MEMBER },
    params: MemberParams,
    answer: async ({ params, fields, request }) => {
      const { team = '', username = '' } = params;
      const { role = '' } = fields;
      const { status, problem } = await callApi(request, {
        method: 'PUT',
        url: fillPath(MEMBER, params),
        body: { role },
        csrfToken: fields['csrf_token'],
      });
      if (problem === undefined) return { to: membersPath(team) };
      const refused = { username, role, message: problem };
      return { status, page: await membersPage(ports, request, team, { ...NO_ENTRIES, refused }) };
    },
  });
}

const TEAM = '/teams/:team';
const CHANGE_TEAM = { method: 'PUT', url: TEAM };

function addGroupForm(ports: AccessPorts): PageRoute {
  return form({
    url: `${TEAM}/groups`,
    calls: CHANGE_TEAM,
    params: TeamParams,
    answer: async ({ params: { team = '' }, fields, request }) => {
      const { claim = '', provider = '', role = '' } = fields;
      const currentGroups = requireFound(await ports.members.team(team), `Team ${team}`).groups;
      const added = { claim: claim.trim(), role, ...(provider !== '' && { provider }) };
      const { status, problem } = await callApi(request, {
        method: 'PUT',
        url: settingsPath(team),
        body: { groups: [...currentGroups, added] },
        csrfToken: fields['csrf_token'],
      });
      if (problem === undefined) return { to: `${membersPath(team)}#groups` };
      const group = {
        values: { claim, provider, role },
        problem: fieldProblem(problem, ['claim', 'provider', 'role'], 'claim'),
      };
      return { status, page: await membersPage(ports, request, team, { ...NO_ENTRIES, group }) };
    },
  });
}

function removeGroupForm(ports: AccessPorts): PageRoute {
  return form({
    url: `${TEAM}/groups/delete`,
    calls: CHANGE_TEAM,
    params: TeamParams,
    answer: async ({ params: { team = '' }, fields, request }) => {
      const { claim = '' } = fields;
      const currentGroups = requireFound(await ports.members.team(team), `Team ${team}`).groups;
      const { status, problem } = await callApi(request, {
        method: 'PUT',
        url: settingsPath(team),
        body: { groups: currentGroups.filter((group) => group.claim !== claim) },
        csrfToken: fields['csrf_token'],
      });
      if (problem === undefined) return { to: `${membersPath(team)}#groups` };
      const group = { values: {}, problem: { field: undefined, message: problem } };
      return { status, page: await membersPage(ports, request, team, { ...NO_ENTRIES, group }) };
    },
  });
}
