import type { FastifyReply, FastifyRequest } from 'fastify';
import { defined } from '#defined';
import type { AuditEntry, AuditStore } from '#flows/people/ports.ts';

/** Fields of a request body that the audit log records. */
const RECORDED_FIELDS = ['version_id', 'comment', 'message', 'signature'];

/**
 * Returns a hook that runs before the data of a response is serialized. If the status is below 300, the hook
 * records the action that the route names in `audit`. If the entry cannot be stored, the response is sent
 * nevertheless and the log of the process contains the entry.
 */
export function auditHook(audit: Pick<AuditStore, 'record'>, now: () => Date) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const action = request.routeOptions.config.rules?.audit;
    if (action === undefined || reply.statusCode >= 300) return payload;
    const entry = { ...entryOf(request, action, payload), at: now() };
    try {
      await audit.record(entry);
    } catch (error) {
      request.log.error({ err: error, entry }, 'an entry of the audit log could not be stored');
    }
    return payload;
  };
}

function entryOf(request: FastifyRequest, action: string, payload: unknown): Omit<AuditEntry, 'at'> {
  const params = textsOf(request.params);
  const { credential = 'installation', user = 'unknown' } = request.identity ?? {};
  const data = dataOf(payload);
  const responseData = textsOf(data);
  return {
    ...defined({ team: params['team'] }),
    actor: user,
    action,
    targetType: typeOf(params, action),
    target: targetOf(params, responseData),
    details: {
      ...Object.fromEntries(
        Object.entries(Object(request.body)).filter(([name]) => RECORDED_FIELDS.includes(name)),
      ),
      ...createdBuilds(params, data),
      ...(credential !== 'session' && { credential }),
    },
  };
}

/**
 * The number of the build that a trigger or a retry created, or the builds that a triggered version created.
 * For other actions on a build, the path has its number.
 */
function createdBuilds(params: Record<string, string>, data: unknown): Record<string, unknown> {
  const { number, builds } = Object(data);
  return {
    ...(typeof number === 'string' && number !== params['build'] && { number }),
    ...(Array.isArray(builds) && {
      builds: builds.map(textsOf).map(({ job, number: ofJob }) => defined({ job, number: ofJob })),
    }),
  };
}

function targetOf(params: Record<string, string>, responseData: Record<string, string>): string {
  const parts = [
    // The response names what was created.
    params['pipeline'] ?? responseData['name'],
    params['job'] ?? params['resource'],
    params['build'] ?? params['version'],
  ];
  return parts.filter((part) => part !== undefined).join('/');
}

/**
 * What the path names below the pipeline; otherwise the first part of the action, as in `pipeline.paused`.
 */
function typeOf(params: Record<string, string>, action: string): string {
  const namedInPath = ['build', 'version', 'job', 'resource'].find((name) => params[name] !== undefined);
  return namedInPath ?? action.split('.')[0] ?? 'pipeline';
}

function textsOf(value: unknown): Record<string, string> {
  const entries = Object.entries(Object(value)).filter(
    ([, field]) => typeof field === 'string' || typeof field === 'number',
  );
  return Object.fromEntries(entries.map(([name, field]) => [name, String(field)]));
}

function dataOf(payload: unknown): unknown {
  return typeof payload === 'object' && payload !== null && 'data' in payload ? payload.data : undefined;
}
