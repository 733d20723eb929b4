import { Type } from 'typebox';
import type { AccessPorts } from '#adapters/http/access/ports.ts';
import { route } from '#adapters/http/access/route.ts';
import type { Route } from '#adapters/http/access/route.ts';
import { found } from '#adapters/http/routes/found.ts';
import { TeamParams, Time, answer, answerList } from '#adapters/http/routes/schemas.ts';
import type { Member, TeamView } from '#flows/access-ports.ts';
import { addMember, changeRole, removeMember } from '#flows/manage-accounts.ts';
import { accountOf, actOf, done } from './answers.ts';
import { Nothing, RoleName, SMALL_BODY, Username, body } from './schemas.ts';

const Team = {
  name: Type.String(),
  display_name: Type.Optional(Type.String()),
  members: Type.Integer(),
  role: Type.Optional(RoleName),
};

const TeamMember = {
  id: Type.Integer(),
  username: Type.String(),
  full_name: Type.String(),
  role: RoleName,
  added_at: Time,
};

const MemberParams = Type.Object({ team: TeamParams.properties.team, username: Username });

export function teamRoutes(ports: AccessPorts): Route[] {
  const { members } = ports;
  return [
    route({
      method: 'GET',
      url: '/teams',
      schema: { response: answerList(Type.Object(Team)) },
      handler: async ({ identity }) => {
        const { globalAdmin, userId } = accountOf(identity);
        return { data: (await members.teams(globalAdmin ? 'all' : { userId })).map(encodeTeam) };
      },
    }),
    route({
      method: 'GET',
      url: '/teams/:team',
      schema: { params: TeamParams, response: answer(Team) },
      handler: async ({ params: { team } }) => ({
        data: encodeTeam(found(await members.team(team), `Team ${team}`)),
      }),
    }),
    route({
      method: 'GET',
      url: '/teams/:team/members',
      schema: { params: TeamParams, response: answerList(Type.Object(TeamMember)) },
      handler: async ({ params: { team } }) => ({
        data: found(await members.members(team), `Team ${team}`).map(encode),
      }),
    }),
    ...changeRoutes(ports),
  ];
}

function changeRoutes(ports: AccessPorts): Route[] {
  const { members, now } = ports;
  const one = async (team: string, username: string) => {
    const all = found(await members.members(team), `Team ${team}`);
    return {
      data: encode(
        found(
          all.find((member) => member.username === username),
          `Member ${username}`,
        ),
      ),
    };
  };
  return [
    route({
      method: 'POST',
      url: '/teams/:team/members',
      bodyLimit: SMALL_BODY,
      schema: {
        params: TeamParams,
        body: body({ username: Username, role: Type.Optional(RoleName) }),
        response: { 201: Type.Object({ data: Type.Object(TeamMember) }) },
      },
      handler: async ({ params: { team }, body: { username, role = 'maintain' }, identity }, reply) => {
        done(await addMember({ team, username, role }, actOf(identity, now()), members));
        return reply.code(201).send(await one(team, username));
      },
    }),
    route({
      method: 'PUT',
      url: '/teams/:team/members/:username',
      bodyLimit: SMALL_BODY,
      schema: { params: MemberParams, body: body({ role: RoleName }), response: answer(TeamMember) },
      handler: async ({ params: { team, username }, body: { role }, identity }) => {
        done(await changeRole({ team, username, role }, actOf(identity, now()), members));
        return await one(team, username);
      },
    }),
    route({
      method: 'DELETE',
      url: '/teams/:team/members/:username',
      schema: { params: MemberParams, response: Nothing },
      handler: async ({ params: { team, username }, identity }, reply) => {
        done(await removeMember({ team, username }, actOf(identity, now()), members));
        return reply.code(204).send(undefined);
      },
    }),
  ];
}

function encodeTeam({ displayName, ...team }: TeamView) {
  return { ...team, ...(displayName !== undefined && { display_name: displayName }) };
}

function encode({ fullName, addedAt, ...member }: Member) {
  return { ...member, full_name: fullName, added_at: addedAt.toISOString() };
}
