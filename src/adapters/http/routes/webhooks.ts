import { Type } from 'typebox';
import { route } from '#adapters/http/access/route.ts';
import type { Route } from '#adapters/http/access/route.ts';
import type { PublicApi } from '#adapters/http/public-api.ts';
import { found } from './found.ts';

const LARGEST_PAYLOAD = 1024 * 1024;

/**
 * A forge tells that something changed: the token in the path names the resource, the body is read (up to 1 MiB, of any type) and
 * ignored. The answer comes when the request is durable.
 */
export function webhookRoutes(api: PublicApi): Route[] {
  return [
    route({
      method: 'POST',
      url: '/webhooks/:token',
      bodyLimit: LARGEST_PAYLOAD,
      ignoresBody: true,
      schema: {
        params: Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }),
        response: { 202: Type.Object({ data: Type.Object({ accepted: Type.Boolean() }) }) },
      },
      handler: async ({ params }, reply) => {
        const known = await api.requestCheckByWebhook(params.token);
        found(known ? known : undefined, 'A resource with this webhook token');
        return reply.code(202).send({ data: { accepted: true } });
      },
    }),
  ];
}
