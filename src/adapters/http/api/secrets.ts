import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { MAX_STORED_SECRET_BYTES } from '#domain/access/stored-secret.ts';
import type { SecretScope, StoredSecret } from '#flows/pipelines/secret-ports.ts';
import { storeSecret } from '#flows/pipelines/set-secret.ts';
import type { AccessPorts } from './access-ports.ts';
import { actOf } from './caller.ts';
import { requireExists, requireFound } from './found.ts';
import { body, Nothing } from './request-bodies.ts';
import { answerList, PipelineParams, TeamParams, Time } from './schemas.ts';

export const SecretName = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,127}$' });
const Kind = Type.Enum(['secret', 'plain']);
export const Secret = Type.Object({
  name: Type.String(),
  kind: Kind,
  value: Type.Optional(Type.String({ description: 'Only of kind plain.' })),
  updated_at: Time,
  updated_by: Type.String(),
});
const SetSecretBody = body({
  value: Type.String({ maxLength: MAX_STORED_SECRET_BYTES }),
  kind: Type.Optional(Kind),
});
/** JSON may escape each byte of a value with six bytes. */
const MAX_SECRET_BODY_BYTES = 6 * MAX_STORED_SECRET_BYTES + 1024;

/** The routes for stored secrets, of a whole team and of one pipeline. */
export function secretRoutes(ports: AccessPorts): Route[] {
  return [
    ...routesOf(ports, '/teams/:team/secrets', TeamParams, {
      owner: 'the team',
      effect: 'each of its pipelines can use',
    }),
    ...routesOf(ports, '/teams/:team/pipelines/:pipeline/secrets', PipelineParams, {
      owner: 'the pipeline',
      effect: 'take precedence over those of the team',
    }),
  ];
}

type ScopeParams = typeof TeamParams | typeof PipelineParams;

function routesOf(
  ports: AccessPorts,
  url: string,
  scope: ScopeParams,
  { owner, effect }: { owner: string; effect: string },
): Route[] {
  const params = Type.Object({ ...scope.properties, name: SecretName });
  return [
    route({
      method: 'GET',
      url,
      needs: 'read',
      about: `The stored secrets of ${owner}, which ${effect}. Values only of kind \`plain\`.`,
      schema: { params: scope, response: answerList(Secret) },
      handler: async ({ params: secretScope }) => {
        const secrets = requireFound(await ports.secrets.secrets(secretScope), nameScope(secretScope));
        return { data: secrets.map(encode) };
      },
    }),
    route({
      method: 'PUT',
      url: `${url}/:name`,
      needs: 'maintain',
      about:
        `Stores a secret of ${owner}, or replaces the value of this name. \`kind\` is \`secret\` if absent: ` +
        'the value is encrypted, masked in logs, and never returned. A `plain` value is returned and not ' +
        'masked. The kind of a name cannot change: delete the secret first.',
      bodyLimit: MAX_SECRET_BODY_BYTES,
      schema: { params, body: SetSecretBody, response: Nothing },
      handler: async (
        { params: { name, ...secretScope }, body: { value, kind = 'secret' }, identity },
        reply,
      ) => {
        const act = actOf(identity, ports.now());
        const answer = await storeSecret(secretScope, { name, kind, value }, act, ports);
        if (answer.answer === 'unknown') return requireFound(undefined, nameScope(secretScope));
        if (answer.answer === 'no-key') throw new Problem('unavailable', NO_KEY);
        if (answer.answer === 'refused') {
          const { code, message } = answer.refusal;
          throw new Problem(code === 'KindIsFixed' ? 'already-exists' : 'invalid-request', message);
        }
        return reply.code(204).send(undefined);
      },
    }),
    route({
      method: 'DELETE',
      url: `${url}/:name`,
      needs: 'maintain',
      about:
        `Deletes a stored secret of ${owner}. Builds that use its name fail from now on, unless a stored ` +
        'secret of the team or of the pipeline still has that name.',
      schema: { params, response: Nothing },
      handler: async ({ params: { name, ...secretScope }, identity }, reply) => {
        const removed = await ports.secrets.removeSecret(secretScope, name, actOf(identity, ports.now()));
        requireExists(removed, `The secret ${name}`);
        return reply.code(204).send(undefined);
      },
    }),
  ];
}

const NO_KEY = 'The key that encrypts secrets does not exist yet: the operator creates it. Try again soon.';

function nameScope({ team, pipeline }: SecretScope): string {
  return pipeline === undefined ? `Team ${team}` : `Pipeline ${pipeline} in team ${team}`;
}

function encode({ name, kind, value, updatedAt, updatedBy }: StoredSecret) {
  return {
    name,
    kind,
    ...defined({ value }),
    updated_at: updatedAt.toISOString(),
    updated_by: updatedBy,
  };
}
