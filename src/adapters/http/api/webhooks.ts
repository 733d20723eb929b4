import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { signatureCheck, type Signature, type SignatureCheck } from '#adapters/crypto/webhook-signature.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { memoize } from '#adapters/http/server/memoize.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { regenerateWebhook } from '#flows/pipelines/regenerate-webhook.ts';
import type { ResourceView } from '#flows/views/ports.ts';
import { batchWebhooks } from './batch-webhooks.ts';
import { nameResource } from './checks.ts';
import { requireFound } from './found.ts';
import type { PipelinePorts, WebhookTokens } from './pipeline-ports.ts';
import { doneOr } from './refusal.ts';
import { answer, ResourceParams } from './schemas.ts';

const MAX_PAYLOAD = 1024 * 1024;
/** Forges call again with the same tokens. Unknown tokens are cached too, so timing reveals nothing. */
const MAX_CACHED_SECRETS = 2000;
const REFUSED =
  'The signature is missing or wrong. Set the secret of the webhook at the forge to the webhook_secret of ' +
  'the resource, which members with the role maintain can see.';

/**
 * A forge reports a change; the token in the path names the resource. The body (up to 1 MiB, of any type)
 * counts only for its signature. The response is sent once the request is durable.
 */
export function webhookRoutes(ports: PipelinePorts): Route[] {
  const { webhooks, metrics } = ports;
  const secretOf = memoize(MAX_CACHED_SECRETS, (token) => webhooks.secret(token));
  const answerCall = batchWebhooks(ports);
  const check = ({ params, headers }: Pick<FastifyRequest, 'params' | 'headers'>): SignatureCheck =>
    signatureCheck(headers, () => secretOf(tokenOf(params)));
  return [
    route({
      method: 'POST',
      url: '/webhooks/:token',
      needs: 'nothing',
      about:
        'Requests a check of the resource that the token belongs to. The body (at most 1 MiB, of any ' +
        'type) counts only for its signature. 202 once the request is stored; 403 if a signature is ' +
        'wrong, or if it is missing and the resource requires one.',
      bodyLimit: MAX_PAYLOAD,
      bodyReader: check,
      schema: {
        params: Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }),
        response: { 202: Type.Object({ data: Type.Object({ accepted: Type.Boolean() }) }) },
      },
      handler: async (request, reply) => {
        const { body } = request;
        const signature = isSignature(body) ? body : check(request).verdict();
        const answered = await answerCall({ tokenHash: webhooks.hash(request.params.token), signature });
        metrics.webhook(answered === 'requested' ? 'accepted' : answered);
        requireFound(answered === 'unknown' ? undefined : answered, 'A resource with this webhook token');
        if (answered === 'refused') throw new Problem('wrong-signature', REFUSED);
        return reply.code(202).send({ data: { accepted: true } });
      },
    }),
    regenerateRoute(ports),
  ];
}

function regenerateRoute({ actions, webhooks }: PipelinePorts): Route {
  const webhookHash = (resource: number, generation: number): string =>
    webhooks.hash(webhooks.token(resource, generation));
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/webhook_token',
    needs: 'maintain',
    audit: 'resource.webhook_regenerated',
    about:
      'Replaces the webhook token and its secret; the old ones stop working at once. Send `"signature": ' +
      '"required"` to refuse webhooks without a signature from then on, or `optional` to accept them ' +
      'again.',
    schema: {
      params: ResourceParams,
      body: Type.Union([
        Type.Object({ signature: Type.Optional(Type.Enum(['required', 'optional'])) }),
        Type.Null(),
      ]),
      response: answer({ resource: Type.String(), ...WebhookFields }),
    },
    handler: async ({ params, body }) => {
      const signed = body?.signature === undefined ? undefined : body.signature === 'required';
      const made = doneOr(
        await regenerateWebhook(params, signed, { actions, webhookHash }),
        nameResource(params),
      );
      const webhook = shownWebhook(webhooks, made.resource, made);
      return { data: { resource: params.resource, ...encodeWebhook(webhook) } };
    },
  });
}

export const WebhookFields = {
  webhook_token: Type.String(),
  webhook_secret: Type.String(),
  webhook_signature: Type.Enum(['required', 'optional']),
};

/** Visible from the role `maintain` on. */
export interface ShownWebhook {
  token: string;
  secret: string;
  /** Webhooks without a signature are refused. */
  signed: boolean;
}

export function webhookOf(
  { id, webhookGeneration: generation, webhookSigned: signed }: ResourceView,
  webhooks: WebhookTokens,
): ShownWebhook {
  return shownWebhook(webhooks, id, { generation, signed });
}

function shownWebhook(
  webhooks: WebhookTokens,
  resource: number,
  { generation, signed }: { generation: number; signed: boolean },
): ShownWebhook {
  const token = webhooks.token(resource, generation);
  return { token, secret: webhooks.secret(token), signed };
}

export function encodeWebhook({ token, secret, signed }: ShownWebhook) {
  return {
    webhook_token: token,
    webhook_secret: secret,
    webhook_signature: signed ? ('required' as const) : ('optional' as const),
  };
}

const isSignature = (body: unknown): body is Signature =>
  body === 'absent' || body === 'valid' || body === 'invalid';

function tokenOf(params: unknown): string {
  const token = typeof params === 'object' && params !== null && 'token' in params ? params.token : undefined;
  return typeof token === 'string' ? token : '';
}
