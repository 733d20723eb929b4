import swagger from '@fastify/swagger';
import { Type } from 'typebox';
import type { RouteRules } from '#adapters/http/auth/route-rules.ts';
import type { AccessLevel } from '#domain/access/decide-access.ts';
import { route, type App, type Route } from './route.ts';

/** Builds the OpenAPI document from the schemas of all routes that are registered after this call. */
export function describeRoutes(app: App, version: string): void {
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Millrace',
        version,
        description: 'Errors are application/problem+json (RFC 9457) with a stable `type`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'A session token or an API token.' },
          cookie: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-millrace-session',
            description: 'Over plain HTTP its name is `millrace-session`.',
          },
        },
        schemas: {
          Problem: {
            type: 'object',
            required: ['type', 'title', 'status', 'detail', 'instance'],
            properties: {
              type: { type: 'string', format: 'uri' },
              title: { type: 'string' },
              status: { type: 'integer' },
              detail: { type: 'string' },
              instance: {
                type: 'string',
                description: 'The id of the request, as in X-Request-Id and the log.',
              },
            },
          },
        },
      },
    },
    transform: ({ schema, url, route: { method, config } }) => {
      // Pages and forms are not part of the API.
      if (schema?.hide === true) return { url, schema };
      const { needs, about } = rulesOf(config, `${String(method)} ${url}`);
      const description = needs === 'nothing' ? about : `${about} Needs: ${needs}.`;
      return {
        url,
        schema: {
          ...schema,
          ...(config?.publicResponse !== undefined && {
            response: responsesOf(schema?.response, config.publicResponse),
          }),
          description,
          security: securityOf(needs),
        },
      };
    },
    transformObject: (document) =>
      'openapiObject' in document ? withProblems(document.openapiObject) : document.swaggerObject,
  });
}

function rulesOf(config: { rules?: RouteRules } | undefined, name: string): RouteRules {
  if (config?.rules === undefined) throw new Error(`route ${name} does not say who may call it`);
  return config.rules;
}

/** `{}` stands for no credentials: a public route then returns what the public may see. */
function securityOf(needs: AccessLevel): Record<string, string[]>[] {
  if (needs === 'nothing') return [];
  return [{ bearer: [] }, { cookie: [] }, ...(needs === 'public' ? [{}] : [])];
}

/** The response schemas of a route that returns other fields to the public than to members. */
function responsesOf(response: unknown, publicResponse: object): Record<string, unknown> {
  const { 200: members, ...others } = Object(response);
  return {
    ...others,
    200: {
      anyOf: [
        { title: 'To members', ...members },
        { title: 'To the public', ...publicResponse },
      ],
    },
  };
}

/** Adds the response for problems to each operation, because no route has it in its schema. */
function withProblems<D extends { paths?: object }>(document: D): D {
  const problem = {
    description: 'A problem',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
  for (const path of Object.values<object>({ ...document.paths })) {
    for (const operation of Object.values<unknown>({ ...path })) {
      if (typeof operation !== 'object' || operation === null || !('responses' in operation)) continue;
      operation.responses = { ...Object(operation.responses), default: problem };
    }
  }
  return document;
}

/** Serves the OpenAPI document, which is built at the first request. */
export function openApiRoutes(): Route[] {
  let text = '';
  return [
    route({
      method: 'GET',
      url: '/openapi.json',
      needs: 'nothing',
      about: 'This API as an OpenAPI 3.1 document.',
      schema: { response: { 200: Type.Unsafe<string>({ type: 'string' }) } },
      handler: async (request, reply) => {
        text ||= JSON.stringify(request.server.swagger());
        return reply
          .header('cache-control', 'no-cache')
          .type('application/json; charset=utf-8')
          .serializer(String)
          .send(text);
      },
    }),
  ];
}
