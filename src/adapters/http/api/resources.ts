import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { roleIn, type Identity } from '#domain/access/decide-access.ts';
import { roleIncludes } from '#domain/access/roles.ts';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import type { ResourceView } from '#flows/views/ports.ts';
import { checkRoutes, nameResource } from './checks.ts';
import { requireFound } from './found.ts';
import type { PipelinePorts, WebhookTokens } from './pipeline-ports.ts';
import {
  encodePublicResource,
  encodePublicVersion,
  PUBLIC_SCHEMAS,
  publicData,
  publicList,
  publicPage,
} from './public-schemas.ts';
import {
  answer,
  answerList,
  answerPage,
  PageQuery,
  PipelineParams,
  ResourceParams,
  Strings,
  Time,
} from './schemas.ts';
import { versionPathRoute } from './version-path.ts';
import { encodeWebhook, WebhookFields, webhookOf, type ShownWebhook } from './webhooks.ts';

export const ResourceFields = {
  id: Type.Integer(),
  name: Type.String(),
  type: Type.String(),
  check_interval: Type.Optional(Type.String()),
  time_zone: Type.Optional(Type.String()),
  last_checked_at: Type.Optional(Time),
  next_check_at: Type.Optional(Time),
  check_error: Type.Optional(Type.String()),
  versions: Type.Integer(),
  versions_left_out: Type.Optional(Type.Integer()),
  pinned_version_id: Type.Optional(Type.Integer()),
  pinned_by: Type.Optional(Type.String()),
  pin_comment: Type.Optional(Type.String()),
  pinned_at: Type.Optional(Time),
  webhook_token: Type.Optional(WebhookFields.webhook_token),
  webhook_secret: Type.Optional(WebhookFields.webhook_secret),
  webhook_signature: Type.Optional(WebhookFields.webhook_signature),
};

export const VersionSchema = Type.Object({
  id: Type.Integer(),
  version: Strings,
  created_at: Time,
  disabled: Type.Boolean(),
  disabled_by: Type.Optional(Type.String()),
});

export function resourceRoutes(ports: PipelinePorts): Route[] {
  const { views, publicViews, webhooks } = ports;
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/resources',
      needs: 'public',
      about:
        'The resources of a pipeline. Members with the role `maintain` or higher also get `webhook_token`, ' +
        '`webhook_secret` and `webhook_signature` (`required` or `optional`). The public gets the id, name ' +
        'and type of each, and whether it is pinned.',
      schema: { params: PipelineParams, response: answerList(Type.Object(ResourceFields)) },
      forPublic: {
        response: PUBLIC_SCHEMAS.resources,
        read: async ({ params }) => publicList(await publicViews.resources(params), encodePublicResource),
      },
      handler: async ({ params, identity }, reply) => {
        forbidCachingTokens(reply, identity, params.team);
        const resources = requireFound(
          await views.resources(params),
          `Pipeline ${params.pipeline} in team ${params.team}`,
        );
        return {
          data: resources.map((resource) =>
            encodeResource(resource, webhookFor(webhooks, resource, identity, params.team)),
          ),
        };
      },
    }),
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/resources/:resource',
      needs: 'public',
      about:
        'One resource, named `<type>.<name>`, for example `git.app`, with the fields of the resource list.',
      schema: { params: ResourceParams, response: answer(ResourceFields) },
      forPublic: {
        response: PUBLIC_SCHEMAS.resource,
        read: async ({ params }) => publicData(await publicViews.resource(params), encodePublicResource),
      },
      handler: async ({ params, identity }, reply) => {
        forbidCachingTokens(reply, identity, params.team);
        const resource = requireFound(await views.resource(params), nameResource(params));
        return { data: encodeResource(resource, webhookFor(webhooks, resource, identity, params.team)) };
      },
    }),
    versionsRoute(ports),
    versionPathRoute(ports),
    ...checkRoutes(ports),
  ];
}

/** Maximum length of the search text for versions, in characters. */
export const MAX_VERSION_SEARCH_CHARACTERS = 200;
const SearchText = Type.String({
  minLength: 1,
  maxLength: MAX_VERSION_SEARCH_CHARACTERS,
  pattern: '^[^\\u0000]+$',
});

function versionsRoute({ views, publicViews }: PipelinePorts): Route {
  return route({
    method: 'GET',
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/versions',
    needs: 'public',
    about:
      'The versions of a resource, newest first, in pages. `text` returns only versions with this text in a ' +
      'field value, ignoring case. It searches the newest 10,000 versions. The public gets only `id` and ' +
      '`created_at` of each version. Pass `id` as `version_id` to the graph image. `text` has no effect for ' +
      'the public.',
    schema: {
      params: ResourceParams,
      querystring: Type.Object({ ...PageQuery, text: Type.Optional(SearchText) }),
      response: answerPage(VersionSchema),
    },
    forPublic: {
      response: PUBLIC_SCHEMAS.versions,
      read: async ({ params, query }) =>
        publicPage(await publicViews.versions(params, query), encodePublicVersion),
    },
    handler: async ({ params, query }) => {
      const { rows, hasMore } = requireFound(await views.versions(params, query), nameResource(params));
      const data = rows.map(({ id, fields, createdAt, disabled, disabledBy }) => ({
        id,
        version: fields,
        created_at: createdAt.toISOString(),
        disabled,
        ...defined({ disabled_by: disabledBy }),
      }));
      return { data, has_more: hasMore };
    },
  });
}

function webhookFor(
  webhooks: WebhookTokens,
  resource: ResourceView,
  identity: Identity | undefined,
  team: string,
): ShownWebhook | undefined {
  return seesTokens(identity, team) ? webhookOf(resource, webhooks) : undefined;
}

function seesTokens(identity: Identity | undefined, team: string): boolean {
  return roleIncludes(identity === undefined ? undefined : roleIn(identity, team), 'maintain');
}

function forbidCachingTokens(reply: FastifyReply, identity: Identity | undefined, team: string): void {
  if (seesTokens(identity, team)) void reply.header('cache-control', 'no-store');
}

export function encodeResource(resource: ResourceView, webhook: ShownWebhook | undefined) {
  const { id, name, type, schedule, lastCheckedAt, nextCheckAt, checkError, versions, omitted } = resource;
  return {
    id,
    name,
    type,
    versions,
    ...(schedule !== undefined && { check_interval: intervalText(schedule) }),
    ...(schedule?.kind === 'cron' && defined({ time_zone: schedule.timeZone })),
    ...defined({
      last_checked_at: lastCheckedAt?.toISOString(),
      next_check_at: nextCheckAt?.toISOString(),
      check_error: checkError,
      versions_left_out: omitted,
    }),
    ...encodePin(resource),
    ...(webhook !== undefined && encodeWebhook(webhook)),
  };
}

function intervalText(schedule: Schedule): string {
  return schedule.kind === 'cron' ? schedule.expression : `@every ${schedule.seconds}s`;
}

function encodePin({ pinned, pinnedAt }: ResourceView) {
  if (pinned === undefined) return {};
  const { version, by, comment } = pinned;
  return {
    ...defined({ pinned_version_id: version }),
    pinned_by: by,
    ...defined({ pin_comment: comment, pinned_at: pinnedAt?.toISOString() }),
  };
}
