import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import type { AuditEntry, AuditFilter } from '#flows/people/ports.ts';
import type { AccessPorts } from './access-ports.ts';
import { answerPage, PageQuery, TeamParams, Time } from './schemas.ts';

export const AuditEntrySchema = Type.Object({
  id: Type.Integer(),
  team: Type.Optional(Type.String()),
  actor: Type.String(),
  action: Type.String(),
  target_type: Type.String(),
  target: Type.String(),
  details: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  at: Time,
});

const Names = Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 20 }));
const Query = {
  ...PageQuery,
  user: Names,
  exclude_user: Names,
  action: Names,
  exclude_action: Names,
  pipeline: Type.Optional(Type.String({ maxLength: 200 })),
  since: Type.Optional(Type.String({ maxLength: 64 })),
  until: Type.Optional(Type.String({ maxLength: 64 })),
};
type Query = Type.Static<Type.TObject<typeof Query>>;

export function auditRoutes({ audit }: Pick<AccessPorts, 'audit'>): Route[] {
  return [
    route({
      method: 'GET',
      url: '/teams/:team/audit',
      needs: 'read',
      about:
        'The audit log of the team, newest first, in pages. Filter with `user`, `exclude_user`, `action`, ' +
        '`exclude_action` (each may be repeated), `pipeline`, `since` and `until`.',
      schema: { params: TeamParams, querystring: Type.Object(Query), response: answerPage(AuditEntrySchema) },
      handler: async ({ params, query }) => {
        const { rows, hasMore } = await audit.entries(params.team, filterOf(query), query);
        return { data: rows.map(encode), has_more: hasMore };
      },
    }),
    route({
      method: 'GET',
      url: '/admin/audit',
      needs: 'global-admin',
      about:
        'The audit log of the installation, including sign-ins, tokens and accounts, with the same ' +
        'filters.',
      schema: { querystring: Type.Object(Query), response: answerPage(AuditEntrySchema) },
      handler: async ({ query }) => {
        const { rows, hasMore } = await audit.entries(undefined, filterOf(query), query);
        return { data: rows.map(encode), has_more: hasMore };
      },
    }),
  ];
}

function filterOf(query: Query): AuditFilter {
  const { user, exclude_user: notUser, action, exclude_action: notAction, pipeline, since, until } = query;
  return {
    ...defined({ users: user, notUsers: notUser, actions: action, notActions: notAction, pipeline }),
    ...(since !== undefined && { since: parseTime('since', since) }),
    ...(until !== undefined && { until: parseTime('until', until) }),
  };
}

function parseTime(name: string, text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new Problem('invalid-request', `${name} is not a time: write it like 2027-01-31T12:00:00Z.`);
}

function encode({ targetType, at, details = {}, ...entry }: AuditEntry & { id: number }) {
  return { ...entry, target_type: targetType, details, at: at.toISOString() };
}
