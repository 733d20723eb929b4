import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { VERSION_LIMITS } from '#domain/build/parse-check-output.ts';
import { emitTrigger } from '#flows/checks/emit-trigger.ts';
import type { EmittedEvent, TriggerStream } from '#flows/checks/trigger-stream-ports.ts';
import { userNameOf } from './caller.ts';
import { requireFound } from './found.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { body } from './request-bodies.ts';
import { answerList, answerPage, PageQuery, Strings, TeamParams, Time } from './schemas.ts';

const TriggerName = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^/\\u0000-\\u001f]+$' });
export const TriggerParams = Type.Object({ ...TeamParams.properties, trigger: TriggerName });

const EventFields = { id: Type.Integer(), version: Strings, created_at: Time };
export const TriggerEventSchema = Type.Object(EventFields);
export const StreamSchema = Type.Object({
  name: Type.String(),
  pipelines: Type.Array(Type.String(), { description: 'Those that declare the resource.' }),
  newest: Type.Optional(TriggerEventSchema),
});
export const EmittedSchema = Type.Object({
  name: Type.String(),
  version: Strings,
  pipelines: Type.Array(Type.String()),
});
const EmitBody = body({
  name: TriggerName,
  version: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
/** JSON may escape each character of a value with six bytes. */
const MAX_EMIT_BODY_BYTES = 6 * VERSION_LIMITS.characters + 1024;

/** Trigger streams of a team: its resources of the type trigger, by name. */
export function triggerRoutes(ports: PipelinePorts): Route[] {
  return [
    route({
      method: 'GET',
      url: '/teams/:team/triggers',
      needs: 'read',
      about: 'The trigger streams of a team: the resources `trigger.<name>` of its pipelines, by name.',
      schema: { params: TeamParams, response: answerList(StreamSchema) },
      handler: async ({ params: { team } }) => {
        const streams = requireFound(await ports.streams.streams(team), `Team ${team}`);
        return { data: streams.map(encodeStream) };
      },
    }),
    route({
      method: 'POST',
      url: '/teams/:team/triggers',
      needs: 'maintain',
      audit: 'trigger.emitted',
      about:
        'Emits an event: `name` is the name of the stream, `version` has the fields of the event. It becomes a ' +
        'version of `trigger.<name>` in every pipeline of the team that declares it, with `trigger_by` and ' +
        '`trigger_time`: 201. 404 if no pipeline declares it.',
      bodyLimit: MAX_EMIT_BODY_BYTES,
      schema: { params: TeamParams, body: EmitBody, response: { 201: Type.Object({ data: EmittedSchema }) } },
      handler: async ({ params: { team }, body: { name, version = {} }, identity }, reply) => {
        const by = userNameOf(identity);
        const emitted = await emitTrigger({ team, trigger: name }, { fields: version, by }, ports);
        if (emitted.answer === 'unknown') throw noStream(team, name);
        if (emitted.answer === 'refused') throw new Problem('invalid-request', emitted.message);
        const { version: emittedVersion, pipelines } = emitted;
        return reply.code(201).send({ data: { name, version: emittedVersion, pipelines } });
      },
    }),
    route({
      method: 'GET',
      url: '/teams/:team/triggers/:trigger',
      needs: 'read',
      about: 'The events of a trigger stream, newest first, in pages.',
      schema: {
        params: TriggerParams,
        querystring: Type.Object(PageQuery),
        response: answerPage(TriggerEventSchema),
      },
      handler: async ({ params, query }) => {
        const events = await ports.streams.events(params, query);
        if (events === undefined) throw noStream(params.team, params.trigger);
        return { data: events.rows.map(encodeEvent), has_more: events.hasMore };
      },
    }),
  ];
}

function noStream(team: string, trigger: string): Problem {
  return new Problem(
    'not-found',
    `No pipeline of team ${team} declares the resource "trigger" "${trigger}".`,
  );
}

function encodeEvent({ id, version, at }: EmittedEvent) {
  return { id, version, created_at: at.toISOString() };
}

function encodeStream({ trigger, pipelines, newest }: TriggerStream) {
  return { name: trigger, pipelines, ...defined({ newest: newest && encodeEvent(newest) }) };
}
