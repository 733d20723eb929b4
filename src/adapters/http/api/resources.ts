import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { roleIn, type Identity } from '#domain/access/decide-access.ts';
import { includes } from '#domain/access/roles.ts';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import type { ResourceView } from '#flows/views/ports.ts';
import { checkRoutes, nameOf } from './checks.ts';
import { found } from './found.ts';
import type { PipelinePorts, WebhookTokens } from './pipeline-ports.ts';
import {
  encodeShownResource,
  encodeShownVersion,
  SHOWN,
  shownAll,
  shownOne,
  shownPage,
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

const Resource = {
  id: Type.Integer(),
  name: Type.String(),
  type: Type.String(),
  check_interval: Type.Optional(Type.String()),
  last_checked_at: Type.Optional(Time),
  next_check_at: Type.Optional(Time),
  check_error: Type.Optional(Type.String()),
  versions: Type.Integer(),
  versions_left_out: Type.Optional(Type.Integer()),
  pinned_version_id: Type.Optional(Type.Integer()),
  pinned_by: Type.Optional(Type.String()),
  pin_comment: Type.Optional(Type.String()),
  webhook_token: Type.Optional(WebhookFields.webhook_token),
  webhook_secret: Type.Optional(WebhookFields.webhook_secret),
  webhook_signature: Type.Optional(WebhookFields.webhook_signature),
};

const Version = Type.Object({
  id: Type.Integer(),
  version: Strings,
  created_at: Time,
  disabled: Type.Boolean(),
});

export function resourceRoutes(ports: PipelinePorts): Route[] {
  const { views, publicViews, webhooks } = ports;
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/resources',
      needs: 'public',
      about:
        'The resources; `webhook_token`, `webhook_secret` and `webhook_signature` (`required` or ' +
        '`optional`) are shown from the role maintain on. The public gets name, type and whether it ' +
        'is pinned.',
      schema: { params: PipelineParams, response: answerList(Type.Object(Resource)) },
      strangers: {
        answer: SHOWN.resources,
        read: async ({ params }) => shownAll(await publicViews.resources(params), encodeShownResource),
      },
      handler: async ({ params, identity }, reply) => {
        keepNoToken(reply, identity, params.team);
        const resources = found(
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
      about: 'One resource, named `<type>.<name>`, for example `git.app`: the same.',
      schema: { params: ResourceParams, response: answer(Resource) },
      strangers: {
        answer: SHOWN.resource,
        read: async ({ params }) => shownOne(await publicViews.resource(params), encodeShownResource),
      },
      handler: async ({ params, identity }, reply) => {
        keepNoToken(reply, identity, params.team);
        const resource = found(await views.resource(params), nameOf(params));
        return { data: encodeResource(resource, webhookFor(webhooks, resource, identity, params.team)) };
      },
    }),
    versionsRoute(ports),
    versionPathRoute(ports),
    ...checkRoutes(ports),
  ];
}

function versionsRoute({ views, publicViews }: PipelinePorts): Route {
  return route({
    method: 'GET',
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/versions',
    needs: 'public',
    about:
      'Its versions, newest first, in pages. The public gets when they were found, and the `id` ' +
      'that pictures take.',
    schema: { params: ResourceParams, querystring: Type.Object(PageQuery), response: answerPage(Version) },
    strangers: {
      answer: SHOWN.versions,
      read: async ({ params, query }) =>
        shownPage(await publicViews.versions(params, query), encodeShownVersion),
    },
    handler: async ({ params, query }) => {
      const { rows, hasMore } = found(await views.versions(params, query), nameOf(params));
      const data = rows.map(({ id, fields, createdAt, disabled }) => ({
        id,
        version: fields,
        created_at: createdAt.toISOString(),
        disabled,
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
  return includes(identity === undefined ? undefined : roleIn(identity, team), 'maintain');
}

function keepNoToken(reply: FastifyReply, identity: Identity | undefined, team: string): void {
  if (seesTokens(identity, team)) void reply.header('cache-control', 'no-store');
}

export function encodeResource(resource: ResourceView, webhook: ShownWebhook | undefined) {
  const { id, name, type, schedule, lastCheckedAt, nextCheckAt, checkError, versions, cut } = resource;
  return {
    id,
    name,
    type,
    versions,
    ...(schedule !== undefined && { check_interval: interval(schedule) }),
    ...(lastCheckedAt !== undefined && { last_checked_at: lastCheckedAt.toISOString() }),
    ...(nextCheckAt !== undefined && { next_check_at: nextCheckAt.toISOString() }),
    ...(checkError !== undefined && { check_error: checkError }),
    ...(cut !== undefined && { versions_left_out: cut }),
    ...pinShown(resource),
    ...(webhook !== undefined && encodeWebhook(webhook)),
  };
}

function interval(schedule: Schedule): string {
  return schedule.kind === 'cron' ? schedule.expression : `@every ${schedule.seconds}s`;
}

function pinShown({ pinned }: ResourceView) {
  if (pinned === undefined) return {};
  const { version, by, comment } = pinned;
  return {
    ...(version !== undefined && { pinned_version_id: version }),
    pinned_by: by,
    ...(comment !== undefined && { pin_comment: comment }),
  };
}
