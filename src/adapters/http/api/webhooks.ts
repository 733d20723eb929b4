import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { signatureCheck } from '#adapters/crypto/webhook-signature.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { memoize } from '#adapters/http/server/memoize.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import type { RerunRequest } from '#domain/build/rerun-request.ts';
import { regenerateWebhook } from '#flows/pipelines/regenerate-webhook.ts';
import { retryByWebhook } from '#flows/pipelines/retry-by-webhook.ts';
import type { ResourceView } from '#flows/views/ports.ts';
import { batchWebhooks } from './batch-webhooks.ts';
import { nameResource } from './checks.ts';
import { requireExists, requireFound } from './found.ts';
import { buildUrl } from './jobs.ts';
import type { PipelinePorts, WebhookTokens } from './pipeline-ports.ts';
import { ReasonShown, requireDone } from './refusal.ts';
import { body } from './request-bodies.ts';
import { answer, ResourceParams } from './schemas.ts';
import { ReceivedWebhook, webhookReaders } from './webhook-body.ts';

const MAX_PAYLOAD_BYTES = 1024 * 1024;
/**
 * Forges send many webhooks with the same token, so its secret is cached. Secrets of unknown tokens are
 * cached too, so that the response time does not reveal which tokens exist.
 */
const MAX_CACHED_SECRETS = 2000;
const TOKEN_SUBJECT = 'A resource with this webhook token';
const SIGNATURE_REFUSED =
  'The signature is missing or wrong. Set the secret of the webhook at the forge to the webhook_secret of ' +
  'the resource, which members with the role maintain can see.';

const TOO_MANY_WEBHOOKS = 'Too many webhooks arrive at the same time. Deliver this one again in a moment.';

/** What a webhook that asks for a re-run did. */
const RerunShown = Type.Object({
  retried: Type.Boolean(),
  /** The build that the retry created. */
  build: Type.Optional(Type.Object({ job: Type.String(), number: Type.String(), url: Type.String() })),
  reasons: Type.Array(ReasonShown),
});
const AcceptedWebhook = Type.Object({ accepted: Type.Boolean(), rerun: Type.Optional(RerunShown) });

/**
 * The routes for webhooks. The token in the path names the resource. The body (up to 1 MiB, of any type) is
 * read to verify the signature. Its content is parsed only if its event may ask for a re-run. The response is
 * sent once the request for a check is stored, and once a re-run is started or refused.
 */
export function webhookRoutes(ports: PipelinePorts): Route[] {
  const { webhooks, metrics } = ports;
  const findSecret = memoize(MAX_CACHED_SECRETS, (token) => webhooks.secret(token));
  const answerCall = batchWebhooks(ports);
  // Accepts a signed `check_run` or `check_suite` event that starts no check, if its token exists. Such an
  // event asks for no re-run, or its request for one cannot be read.
  const acceptWithoutCheck = async (tokenHash: string) =>
    (await ports.checks.resourceOfToken(tokenHash)) === undefined ? 'unknown' : 'requested';
  const readerOf = webhookReaders();
  const readBody = (request: Pick<FastifyRequest, 'params' | 'headers' | 'raw'>) =>
    readerOf(
      request,
      signatureCheck(request.headers, () => findSecret(tokenOf(request.params))),
    );
  return [
    route({
      method: 'POST',
      url: '/webhooks/:token',
      needs: 'nothing',
      about:
        'Requests a check of the resource that the token belongs to. Millrace verifies a signature over ' +
        'the body (at most 1 MiB, of any type). 202 once the request is stored; 403 if a signature is ' +
        'wrong, or if it is missing and the resource requires one. A signed event `check_run` with the ' +
        'action `rerequested` also retries the build of the check run; `rerun` says which, or why not. ' +
        'Other signed events `check_run` and `check_suite`, and those that name no build, request no ' +
        'check.',
      bodyLimit: MAX_PAYLOAD_BYTES,
      bodyReader: readBody,
      schema: {
        params: Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }),
        response: { 202: Type.Object({ data: AcceptedWebhook }) },
      },
      handler: async (request, reply) => {
        const { body: webhook } = request;
        const { signature, wantsCheck, rerun } =
          // Fastify runs no body reader for a request that has neither a body nor a content type.
          webhook instanceof ReceivedWebhook ? webhook : readBody(request).verdict();
        const tokenHash = webhooks.hash(request.params.token);
        const outcome = wantsCheck
          ? await answerCall({ tokenHash, signature })
          : await acceptWithoutCheck(tokenHash);
        metrics.webhook(outcome === 'requested' ? 'accepted' : outcome);
        requireExists(outcome !== 'unknown', TOKEN_SUBJECT);
        if (outcome === 'refused') throw new Problem('wrong-signature', SIGNATURE_REFUSED);
        if (rerun === undefined) return reply.code(202).send({ data: { accepted: true } });
        const rerunResult = await rerunBuild(tokenHash, rerun, ports);
        return reply.code(202).send({ data: { accepted: true, rerun: rerunResult } });
      },
    }),
    regenerateRoute(ports),
  ];
}

async function rerunBuild(tokenHash: string, request: RerunRequest | 'no-room', ports: PipelinePorts) {
  if (request === 'no-room') throw new Problem('unavailable', TOO_MANY_WEBHOOKS);
  const result = await retryByWebhook({ tokenHash, request }, ports);
  const retried = requireFound(result.answer === 'unknown' ? undefined : result, TOKEN_SUBJECT);
  if (retried.answer === 'refused')
    return { retried: false, reasons: retried.reasons.map(({ code, message }) => ({ code, message })) };
  const { job, number } = retried.build;
  return { retried: true, build: { job, number, url: buildUrl(retried.build, number) }, reasons: [] };
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
        body({ signature: Type.Optional(Type.Enum(['required', 'optional'])) }),
        Type.Null(),
      ]),
      response: answer({ resource: Type.String(), ...WebhookFields }),
    },
    handler: async ({ params, body: fields }) => {
      const signed = fields?.signature === undefined ? undefined : fields.signature === 'required';
      const regenerated = requireDone(
        await regenerateWebhook(params, signed, { actions, webhookHash }),
        nameResource(params),
      );
      const webhook = shownWebhook(webhooks, regenerated.resource, regenerated);
      return { data: { resource: params.resource, ...encodeWebhook(webhook) } };
    },
  });
}

export const WebhookFields = {
  webhook_token: Type.String(),
  webhook_secret: Type.String(),
  webhook_signature: Type.Enum(['required', 'optional']),
};

/** The webhook of a resource, as members with the role `maintain` or above see it. */
export interface ShownWebhook {
  token: string;
  secret: string;
  /** Whether webhooks without a signature are refused. */
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

function tokenOf(params: unknown): string {
  const token = typeof params === 'object' && params !== null && 'token' in params ? params.token : undefined;
  return typeof token === 'string' ? token : '';
}
