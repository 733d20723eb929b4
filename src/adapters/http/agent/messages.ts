import { Type } from 'typebox';
import { defined } from '#defined';
import type {
  CheckResultsRequest,
  DebugExchange,
  EventsRequest,
  HookResult,
} from '#domain/build/agent-protocol.ts';
import { DEBUG_LIMITS, MAX_DEBUG_DATA } from '#domain/build/debug-limits.ts';
import { DEBUG_END_REASONS } from '#domain/build/debug-session.ts';
import { AGENT_REASONS, type BuildEvent } from '#domain/build/events.ts';
import { MAX_CHECK_BYTES, VERSION_LIMITS } from '#domain/build/parse-check-output.ts';
import { METADATA_LIMITS, type Metadata } from '#domain/build/parse-protocol-output.ts';
import { MAX_SECRET_OUTPUT_BYTES } from '#domain/build/parse-secret-output.ts';
import { storable, storableFields } from '#domain/build/storable.ts';

/*
 * The schemas of the bodies that agents send, and the functions `storable…`, which replace the characters
 * that Postgres refuses in the texts that are stored.
 */

const RowId = Type.String({ pattern: '^[0-9]{1,15}$' });
const ShortText = Type.String({ maxLength: 4096 });
const StepId = Type.String({ minLength: 1, maxLength: 64 });
const Timestamp = Type.String({
  maxLength: 40,
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$',
});
const Fields = Type.Record(
  Type.String({ maxLength: VERSION_LIMITS.name }),
  Type.String({ maxLength: VERSION_LIMITS.characters }),
  { maxProperties: VERSION_LIMITS.fields },
);
const Name = Type.String({ minLength: 1, maxLength: 253 });

export const SessionBody = Type.Object({
  key: Type.String({ pattern: '^[\\w-]{43}$' }),
  pod: Type.Object({ namespace: Name, name: Name, uid: Name }),
  nonce: Type.Optional(Type.String({ maxLength: 200 })),
  token: Type.Optional(Type.String({ maxLength: 16 * 1024 })),
  architecture: Type.Optional(Type.String({ pattern: '^[a-z0-9_]{1,20}$' })),
});

export const WorkQuery = Type.Object({
  architecture: Type.Optional(Type.String({ pattern: '^[a-z0-9_]{1,20}$' })),
});

const eventFields = { sequence: Type.Integer({ minimum: 1, maximum: 2_000_000_000 }), at: Timestamp };

const EventBody = Type.Union([
  Type.Object({
    ...eventFields,
    type: Type.Literal('log'),
    step: StepId,
    text: Type.String({ maxLength: 1024 * 1024 }),
  }),
  Type.Object({
    ...eventFields,
    type: Type.Literal('step-started'),
    step: StepId,
    attempt: Type.Optional(Type.Integer({ minimum: 2, maximum: 1_000_000 })),
  }),
  Type.Object({
    ...eventFields,
    type: Type.Literal('step-ended'),
    step: StepId,
    status: Type.Enum(['succeeded', 'failed', 'cancelled', 'skipped']),
    exitCode: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    signal: Type.Optional(Type.String({ maxLength: 32 })),
    message: Type.Optional(ShortText),
    version: Type.Optional(Fields),
    metadata: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ maxLength: METADATA_LIMITS.name }),
          value: Type.String({ maxLength: METADATA_LIMITS.value }),
        }),
        { maxItems: METADATA_LIMITS.entries },
      ),
    ),
    cache: Type.Optional(Type.String({ maxLength: 200 })),
    cacheBytes: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  }),
  Type.Object({
    ...eventFields,
    type: Type.Literal('build-ended'),
    outcome: Type.Enum(['succeeded', 'failed', 'cancelled']),
    reason: Type.Enum([...AGENT_REASONS]),
    message: ShortText,
    notified: Type.Optional(Type.Boolean()),
  }),
]);

export const EventsBody = Type.Object({ events: Type.Array(EventBody, { maxItems: 10_000 }) });

const SecretOutput = Type.Union([
  Type.Object(
    { value: Type.String({ maxLength: MAX_SECRET_OUTPUT_BYTES }) },
    { additionalProperties: false },
  ),
  Type.Object({ fault: Type.String({ maxLength: 1000 }) }, { additionalProperties: false }),
]);

export const SecretsBody = Type.Object({
  operation: StepId,
  given: Type.Optional(Type.Record(Type.String({ maxLength: 600 }), SecretOutput, { maxProperties: 500 })),
});

export const CheckResultsBody = Type.Object({
  results: Type.Array(
    Type.Object({
      scope: RowId,
      versions: Type.Optional(Type.Array(Fields, { maxItems: 10_000 })),
      cut: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CHECK_BYTES })),
      error: Type.Optional(Type.String({ maxLength: 16 * 1024 })),
      log: Type.String({ maxLength: 128 * 1024 }),
    }),
    { maxItems: 1000 },
  ),
  hooks: Type.Optional(
    Type.Array(
      Type.Object({
        version: RowId,
        job: Name,
        hook: Name,
        error: Type.Optional(ShortText),
        output: Type.String({ maxLength: 128 * 1024 }),
      }),
      { maxItems: 1000 },
    ),
  ),
  done: Type.Boolean(),
});

export const IdentityTokensBody = Type.Object({
  step: StepId,
  seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000_000_000 })),
});

const Sequence = Type.Integer({ minimum: 0, maximum: 2_000_000_000 });

export const DebugBody = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      received: Sequence,
      output: Type.Array(
        Type.Object({
          sequence: Sequence,
          data: Type.String({ maxLength: MAX_DEBUG_DATA, pattern: '^[A-Za-z0-9+/]*={0,2}$' }),
        }),
        { maxItems: 20 },
      ),
      end: Type.Optional(
        Type.Object({
          reason: Type.Enum([...DEBUG_END_REASONS]),
          message: ShortText,
          exitCode: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
        }),
      ),
    }),
    { maxItems: 2 * DEBUG_LIMITS.sessions },
  ),
});

export function storableShells({ sessions }: DebugExchange): DebugExchange {
  return {
    sessions: sessions.map(({ end, ...session }) => ({
      ...session,
      ...(end !== undefined && { end: { ...end, message: storable(end.message) } }),
    })),
  };
}

export function storableEvents({ events }: EventsRequest): BuildEvent[] {
  return events.map((event) => {
    switch (event.type) {
      case 'log':
        return { ...event, text: storable(event.text) };
      case 'build-ended':
        return { ...event, message: storable(event.message) };
      case 'step-ended':
        return {
          ...event,
          ...(event.message !== undefined && { message: storable(event.message) }),
          ...(event.signal !== undefined && { signal: storable(event.signal) }),
          ...(event.version !== undefined && { version: storableFields(event.version) }),
          ...(event.metadata !== undefined && { metadata: event.metadata.map(storableMetadata) }),
        };
      case 'step-started':
      default:
        return event;
    }
  });
}

const storableMetadata = ({ name, value }: Metadata): Metadata => ({
  name: storable(name),
  value: storable(value),
});

export function storableResults({ results, hooks, done }: CheckResultsRequest): CheckResultsRequest {
  return {
    done,
    ...(hooks && { hooks: hooks.map(storableHook) }),
    results: results.map((result) => ({
      ...result,
      log: storable(result.log),
      ...(result.error !== undefined && { error: storable(result.error) }),
      ...defined({ versions: result.versions?.map(storableFields) }),
    })),
  };
}

function storableHook({ version, job, hook, error, output }: HookResult): HookResult {
  return {
    version,
    job: storable(job),
    hook: storable(hook),
    output: storable(output),
    ...(error !== undefined && { error: storable(error) }),
  };
}
