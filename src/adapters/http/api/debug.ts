import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import type { Identity } from '#domain/access/decide-access.ts';
import { DEBUG_LIMITS, MAX_DEBUG_DATA } from '#domain/build/debug-limits.ts';
import type { DebugInput } from '#domain/build/debug-session.ts';
import type { DebugSessionName } from '#flows/builds/debug-ports.ts';
import { openDebugSession } from '#flows/builds/open-debug-session.ts';
import { closeDebugSession, giveDebugInput } from '#flows/builds/use-debug-session.ts';
import { nameBuild, refOf } from './builds.ts';
import { userNameOf } from './caller.ts';
import { requireExists, requireFound } from './found.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { requireDone } from './refusal.ts';
import { body, Nothing } from './request-bodies.ts';
import { answer, BUILD_PATH, BuildParams } from './schemas.ts';

const MAX_BODY_BYTES = 128 * 1024;

const Size = Type.Integer({ minimum: 1, maximum: DEBUG_LIMITS.terminalSide });
const TerminalFields = { columns: Size, rows: Size };
const MAX_SEQUENCE = 2_000_000_000;

export const DebugParams = Type.Object({
  ...BuildParams.properties,
  session: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});

/** Opens, feeds and closes shells in running steps (ADR 0087). `live/debug-route.ts` streams their output. */
export function debugRoutes(ports: PipelinePorts): Route[] {
  return [openRoute(ports), inputRoute(ports), closeRoute(ports)];
}

function openRoute(ports: PipelinePorts): Route {
  return route({
    method: 'POST',
    url: `${BUILD_PATH}/debug`,
    needs: 'maintain',
    about:
      'Opens [a shell in a running step](../how-to/debug-a-step.md): 201 with the id of its session. `step`: ' +
      'name or id, if several run. `command`: instead of a shell. `terminal`: its size; without it, the ' +
      'streams are pipes. 409 with the reasons if the team does not allow it or no such step runs.',
    bodyLimit: MAX_BODY_BYTES,
    schema: {
      params: BuildParams,
      body: body({
        step: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
        command: Type.Optional(
          Type.Array(Type.String({ maxLength: DEBUG_LIMITS.commandCharacters, pattern: '^[^\\u0000]*$' }), {
            maxItems: DEBUG_LIMITS.commandArguments,
          }),
        ),
        terminal: Type.Optional(body(TerminalFields)),
      }),
      response: {
        201: Type.Object({
          data: Type.Object({ session: Type.Integer(), step: Type.String(), step_name: Type.String() }),
        }),
      },
    },
    handler: async ({ params, body: { step, command = [], terminal }, identity }, reply) => {
      const ref = refOf(params);
      if (command.join('').length > DEBUG_LIMITS.commandCharacters)
        throw new Problem('invalid-request', COMMAND_TOO_LONG);
      const request = { by: userNameOf(identity), command, ...defined({ step, terminal }) };
      const opened = requireDone(await openDebugSession(ref, request, ports), nameBuild(ref));
      const data = { session: opened.session, step: opened.step.id, step_name: opened.step.name };
      return reply.code(201).send({ data });
    },
  });
}

function inputRoute(ports: PipelinePorts): Route {
  return route({
    method: 'POST',
    url: `${BUILD_PATH}/debug/:session/input`,
    needs: 'maintain',
    about:
      'Sends one input to your shell: `data` in base64, a new size as `columns` and `rows`, or `end`. Each ' +
      'needs a `sequence` that counts from 1. `received`: number of the last output that you have. ' +
      '`accepted` is the number of the last input that is stored: send later ones again.',
    bodyLimit: MAX_BODY_BYTES,
    schema: {
      params: DebugParams,
      body: body({
        sequence: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SEQUENCE })),
        data: Type.Optional(
          Type.String({ minLength: 1, maxLength: MAX_DEBUG_DATA, pattern: '^[A-Za-z0-9+/]+={0,2}$' }),
        ),
        columns: Type.Optional(Size),
        rows: Type.Optional(Size),
        end: Type.Optional(Type.Boolean()),
        received: Type.Integer({ minimum: 0, maximum: MAX_SEQUENCE }),
      }),
      response: answer({ accepted: Type.Integer(), ended: Type.Boolean() }),
    },
    handler: async ({ params, body: fields, identity }) => {
      const name = sessionOf(params, identity);
      const input = inputOf(fields);
      const stored = await giveDebugInput(name, { received: fields.received, ...defined({ input }) }, ports);
      return { data: requireFound(stored, nameSession(name)) };
    },
  });
}

function closeRoute(ports: PipelinePorts): Route {
  return route({
    method: 'DELETE',
    url: `${BUILD_PATH}/debug/:session`,
    needs: 'maintain',
    about: 'Ends your shell, if it has not ended, and forgets its session.',
    schema: { params: DebugParams, response: Nothing },
    handler: async ({ params, identity }, reply) => {
      const name = sessionOf(params, identity);
      const closed = await closeDebugSession(name, ports);
      requireExists(closed === 'closed', nameSession(name));
      return reply.code(204).send(undefined);
    },
  });
}

interface InputFields {
  sequence?: number;
  data?: string;
  columns?: number;
  rows?: number;
  end?: boolean;
}

/** Returns undefined if the request has no input: then it only confirms which output has arrived. */
function inputOf({ sequence, ...fields }: InputFields) {
  const inputs = inputsOf(fields);
  if (sequence === undefined && inputs.length === 0) return undefined;
  if (sequence === undefined) throw new Problem('invalid-request', SEQUENCE_MISSING);
  const [input, ...others] = inputs;
  if (input === undefined || others.length > 0)
    throw new Problem('invalid-request', 'Send exactly one of data, columns with rows, or end: true.');
  return { sequence, ...input };
}

/** The inputs of a request. Undefined stands for an incomplete one. */
function inputsOf({ data, columns, rows, end }: InputFields): (DebugInput | undefined)[] {
  const size = columns === undefined || rows === undefined ? undefined : { columns, rows };
  return [
    ...(data === undefined ? [] : [{ data }]),
    ...(columns === undefined && rows === undefined ? [] : [size]),
    ...(end === undefined ? [] : [end ? { end } : undefined]),
  ];
}

const COMMAND_TOO_LONG =
  `The command has more than ${DEBUG_LIMITS.commandCharacters} characters. ` +
  'Open a shell without a command, and paste it there.';

const SEQUENCE_MISSING =
  'Input has no number, so nothing was sent to the shell. Send `sequence` with it: 1 for the first input, ' +
  'and one more for each further one.';

type DebugSessionParams = Parameters<typeof refOf>[0] & { session: number };

export function sessionOf(params: DebugSessionParams, identity: Identity | undefined): DebugSessionName {
  return { id: params.session, ref: refOf(params), by: userNameOf(identity) };
}

export const nameSession = ({ id }: DebugSessionName): string => `Session ${id} of yours`;
