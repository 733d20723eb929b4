import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditEntry, AuditStore } from '#flows/people/ports.ts';

/** What of a body tells why, or which. */
const TOLD = ['version_id', 'comment', 'message', 'signature'];

/**
 * Before an answer goes out, writes down what the route did: `audit` of the route names the action. If the
 * line cannot be written, the action stands and the log has the line.
 */
export function auditAnswers(audit: Pick<AuditStore, 'record'>, now: () => Date) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const action = request.routeOptions.config.rules?.audit;
    if (action === undefined || reply.statusCode >= 300) return payload;
    const entry = { ...entryOf(request, action, payload), at: now() };
    try {
      await audit.record(entry);
    } catch (error) {
      request.log.error({ err: error, entry }, 'a line of the audit log could not be written');
    }
    return payload;
  };
}

function entryOf(request: FastifyRequest, action: string, payload: unknown): Omit<AuditEntry, 'at'> {
  const params = textsOf(request.params);
  const { credential = 'installation', user = 'unknown' } = request.identity ?? {};
  const answered = textsOf(dataOf(payload));
  const number = params['build'] === undefined ? answered['number'] : undefined;
  return {
    ...(params['team'] !== undefined && { team: params['team'] }),
    actor: user,
    action,
    targetType: typeOf(params),
    target: targetOf(params, answered),
    details: {
      ...Object.fromEntries(Object.entries(Object(request.body)).filter(([name]) => TOLD.includes(name))),
      ...(number !== undefined && { number }),
      ...(credential !== 'session' && { credential }),
    },
  };
}

function targetOf(params: Record<string, string>, answered: Record<string, string>): string {
  const parts = [
    // What was made has its name in the answer.
    params['pipeline'] ?? answered['name'],
    params['job'] ?? params['resource'],
    params['build'] ?? params['version'],
  ];
  return parts.filter((part) => part !== undefined).join('/');
}

function typeOf(params: Record<string, string>): string {
  return ['build', 'version', 'job', 'resource'].find((name) => params[name] !== undefined) ?? 'pipeline';
}

function textsOf(value: unknown): Record<string, string> {
  const entries = Object.entries(Object(value)).filter(
    ([, one]) => typeof one === 'string' || typeof one === 'number',
  );
  return Object.fromEntries(entries.map(([name, one]) => [name, String(one)]));
}

function dataOf(payload: unknown): unknown {
  return typeof payload === 'object' && payload !== null && 'data' in payload ? payload.data : undefined;
}
