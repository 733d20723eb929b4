import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { createTeam, deleteTeam, updateTeam } from '#flows/people/change-team.ts';
import { addMember, changeRole, removeMember } from '#flows/people/manage-accounts.ts';
import type { Member, TeamView } from '#flows/people/ports.ts';
import type { AccessPorts } from './access-ports.ts';
import { accountOf, actOf, requireChanged } from './caller.ts';
import { objectProblem, requireObjects } from './cluster-objects.ts';
import { requireFound } from './found.ts';
import { body, Nothing, RoleName, SMALL_BODY, Username } from './request-bodies.ts';
import { answer, answerList, TeamParams, Time } from './schemas.ts';

const Group = body({
  claim: Type.String({ minLength: 1, maxLength: 256 }),
  provider: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 63,
      description: 'The provider that the group comes from. Required if several providers report groups.',
    }),
  ),
  role: RoleName,
});

export const TeamFields = {
  name: Type.String(),
  display_name: Type.Optional(Type.String()),
  members: Type.Integer(),
  pipelines: Type.Integer(),
  groups: Type.Array(Group),
  /** Whether members with the role maintain may open shells in running steps. */
  debug: Type.Boolean(),
  /** Whether the API or a manifest created the team. */
  managed_by: Type.Enum(['api', 'manifest']),
  /**
   * The fields that only the manifest can change, because it sets them: any of `display_name`, `members`,
   * `groups` and `debug`.
   */
  by_manifest: Type.Array(Type.String()),
  role: Type.Optional(RoleName),
};

export const TeamMemberFields = {
  id: Type.Integer(),
  username: Type.String(),
  full_name: Type.String(),
  role: RoleName,
  /** The role that groups of an identity provider give. */
  group_role: Type.Optional(RoleName),
  /** Absent if only a group makes the user a member. */
  added_at: Type.Optional(Time),
};

const MemberParams = Type.Object({ team: TeamParams.properties.team, username: Username });

export function teamRoutes(ports: AccessPorts): Route[] {
  const { members } = ports;
  return [
    route({
      method: 'GET',
      url: '/teams',
      needs: 'user',
      about: 'The teams that you are a member of; all of them for a global admin.',
      schema: { response: answerList(Type.Object(TeamFields)) },
      handler: async ({ identity }) => {
        const { globalAdmin, userId } = accountOf(identity);
        return { data: (await members.teams(globalAdmin ? 'all' : { userId })).map(encodeTeam) };
      },
    }),
    route({
      method: 'GET',
      url: '/teams/:team',
      needs: 'read',
      about: 'One team.',
      schema: { params: TeamParams, response: answer(TeamFields) },
      handler: async ({ params: { team } }) => ({
        data: encodeTeam(requireFound(await members.team(team), `Team ${team}`)),
      }),
    }),
    route({
      method: 'GET',
      url: '/teams/:team/members',
      needs: 'read',
      about: 'The members of a team and their roles.',
      schema: { params: TeamParams, response: answerList(Type.Object(TeamMemberFields)) },
      handler: async ({ params: { team } }) => ({
        data: requireFound(await members.members(team), `Team ${team}`).map(encodeMember),
      }),
    }),
    ...changeTeamRoutes(ports),
    ...memberRoutes(ports),
  ];
}

const DisplayName = Type.String({ maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' });
/** In milliseconds: longer than a flow waits for the operator. */
const RESPONSE_TIME_LIMIT_MS = 20_000;
const TeamName = Type.Object({ data: Type.Object({ name: Type.String() }) });

/** Creates, changes and deletes teams. */
function changeTeamRoutes(ports: AccessPorts): Route[] {
  const { members, now } = ports;
  return [
    createTeamRoute(ports),
    route({
      method: 'PUT',
      url: '/teams/:team',
      needs: 'admin',
      about:
        'Changes a team. `display_name`: an empty name removes it. `groups`: the role that each group of an ' +
        'identity provider gives. `debug`: whether members with the role maintain may open ' +
        '[shells in running steps](../how-to/debug-a-step.md). 409 for fields that the manifest sets.',
      bodyLimit: 64 * 1024,
      schema: {
        params: TeamParams,
        body: body({
          display_name: Type.Optional(DisplayName),
          groups: Type.Optional(Type.Array(Group, { maxItems: 200 })),
          debug: Type.Optional(Type.Boolean()),
        }),
        response: answer(TeamFields),
      },
      handler: async ({ params: { team }, body: { display_name: displayName, groups, debug }, identity }) => {
        const change = defined({ displayName, groups, debug });
        requireChanged(
          await updateTeam(team, change, actOf(identity, now()), { members, oauth: ports.oauth }),
        );
        return { data: encodeTeam(requireFound(await members.team(team), `Team ${team}`)) };
      },
    }),
    route({
      method: 'DELETE',
      url: '/teams/:team',
      needs: 'admin',
      about:
        'Deletes a team that was created over the API and has no pipelines; its namespace stays. 204 once ' +
        'it is deleted, 202 if that takes longer.',
      timeLimit: RESPONSE_TIME_LIMIT_MS,
      schema: { params: TeamParams, response: { ...Nothing, 202: TeamName } },
      handler: async ({ params: { team }, identity }, reply) => {
        const removed = await deleteTeam(team, actOf(identity, now()), objectPorts(ports));
        if (removed.answer === 'waiting') return reply.code(202).send({ data: { name: team } });
        if (removed.answer !== 'gone') throw objectProblem(removed, `Team ${team}`);
        return reply.code(204).send(undefined);
      },
    }),
  ];
}

function createTeamRoute(ports: AccessPorts): Route {
  return route({
    method: 'POST',
    url: '/teams',
    needs: 'global-admin',
    about:
      'Creates a team: a Team object, its namespace, and you as its first admin. 201 once it exists, 202 ' +
      'while the operator is still creating it, 409 with the reason if it cannot be created.',
    bodyLimit: SMALL_BODY,
    timeLimit: RESPONSE_TIME_LIMIT_MS,
    schema: {
      body: body({ name: TeamParams.properties.team, display_name: Type.Optional(DisplayName) }),
      response: { 201: Type.Object({ data: Type.Object(TeamFields) }), 202: TeamName },
    },
    handler: async ({ body: { name, display_name: displayName }, identity }, reply) => {
      const created = await createTeam(
        { name, displayName },
        actOf(identity, ports.now()),
        objectPorts(ports),
      );
      if (created.answer === 'fault') throw new Problem('invalid-request', created.message);
      if (created.answer === 'waiting') return reply.code(202).send({ data: { name } });
      if (created.answer !== 'done') throw objectProblem(created, `Team ${name}`);
      return reply.code(201).send({ data: encodeTeam(created.team) });
    },
  });
}

function objectPorts({ objects, members, wait, elapsed }: AccessPorts) {
  return { objects: requireObjects(objects).teams, members, wait, elapsed };
}

function memberRoutes(ports: AccessPorts): Route[] {
  const { members, now } = ports;
  const memberAnswer = async (team: string, username: string) => {
    const teamMembers = requireFound(await members.members(team), `Team ${team}`);
    return {
      data: encodeMember(
        requireFound(
          teamMembers.find((member) => member.username === username),
          `Member ${username}`,
        ),
      ),
    };
  };
  return [
    route({
      method: 'POST',
      url: '/teams/:team/members',
      needs: 'admin',
      about: 'Adds a member, as maintain if the body has no `role`.',
      bodyLimit: SMALL_BODY,
      schema: {
        params: TeamParams,
        body: body({ username: Username, role: Type.Optional(RoleName) }),
        response: { 201: Type.Object({ data: Type.Object(TeamMemberFields) }) },
      },
      handler: async ({ params: { team }, body: { username, role = 'maintain' }, identity }, reply) => {
        requireChanged(await addMember({ team, username, role }, actOf(identity, now()), members));
        return reply.code(201).send(await memberAnswer(team, username));
      },
    }),
    route({
      method: 'PUT',
      url: '/teams/:team/members/:username',
      needs: 'admin',
      about: 'Changes the role of a member, or adds the user with that role. The last admin stays admin.',
      bodyLimit: SMALL_BODY,
      schema: { params: MemberParams, body: body({ role: RoleName }), response: answer(TeamMemberFields) },
      handler: async ({ params: { team, username }, body: { role }, identity }) => {
        requireChanged(await changeRole({ team, username, role }, actOf(identity, now()), members));
        return await memberAnswer(team, username);
      },
    }),
    route({
      method: 'DELETE',
      url: '/teams/:team/members/:username',
      needs: 'admin',
      about: 'Removes a member and their tokens for the team. The last admin cannot be removed.',
      schema: { params: MemberParams, response: Nothing },
      handler: async ({ params: { team, username }, identity }, reply) => {
        requireChanged(await removeMember({ team, username }, actOf(identity, now()), members));
        return reply.code(204).send(undefined);
      },
    }),
  ];
}

function encodeTeam({ displayName, byApi, byManifest, ...team }: TeamView) {
  return {
    ...team,
    managed_by: byApi ? ('api' as const) : ('manifest' as const),
    by_manifest: byManifest,
    ...defined({ display_name: displayName }),
  };
}

function encodeMember({ fullName, addedAt, groupRole, ...member }: Member) {
  return {
    ...member,
    full_name: fullName,
    ...defined({ group_role: groupRole, added_at: addedAt?.toISOString() }),
  };
}
