import { Type, type Static } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { defined } from '#defined';
import type { JsonValue } from '#domain/language/json-value.ts';
import type { GivenInputs } from '#domain/pipeline/input-values.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';
import { body } from './request-bodies.ts';

/** The inputs that a job declares. */
export const JobInputs = Type.Array(
  Type.Object({
    name: Type.String(),
    type: Type.Enum(['string', 'number', 'bool', 'choice', 'list']),
    description: Type.Optional(Type.String()),
    required: Type.Boolean({ description: 'true: a manual trigger must give a value.' }),
    default: Type.Optional(Type.String({ description: 'The value as `$INPUT_<NAME>` holds it.' })),
    options: Type.Optional(Type.Array(Type.String())),
  }),
  { description: 'Parameters of a manual trigger. Absent: the job has none.' },
);

export function encodeInputs(inputs: readonly Input[]): Static<typeof JobInputs> {
  return inputs.map(({ name, type, description, required = false, default: defaultValue, options }) => ({
    name,
    type,
    required,
    ...defined({ description, options }),
    ...(!required && { default: defaultValue }),
  }));
}

/** In bytes. Each value becomes an environment variable, for which Linux allows 128 KiB. */
export const MAX_TRIGGER_BODY = 64 * 1024;
export const MAX_GIVEN_INPUTS = 200;

/**
 * Any JSON. The decision about the build checks the types, because only that decision knows the inputs of the
 * job.
 */
const AnyJson = Type.Unsafe<JsonValue>({});

/** The body of a trigger. */
export const TriggerBody = Type.Union([
  body({
    inputs: Type.Optional(
      Type.Record(Type.String(), AnyJson, {
        maxProperties: MAX_GIVEN_INPUTS,
        description: 'Values by name: a string, a number, true or false, or a list of strings.',
      }),
    ),
  }),
  Type.Null(),
]);

/** Returns the inputs of the body without those that are null. Throws a problem if they cannot be stored. */
export function givenInputs(fields: Static<typeof TriggerBody> | undefined): { inputs?: GivenInputs } {
  const inputs = Object.entries(fields?.inputs ?? {}).filter(([, value]) => value !== null);
  const faults = inputs.flatMap(([name, value]) => {
    const reason = whyNotStorable(name) ?? whyNotStorable(value);
    return reason === undefined ? [] : [`inputs.${name.toWellFormed().replaceAll('\0', '')} ${reason}.`];
  });
  if (faults.length > 0) throw new Problem('invalid-request', faults.join(' '));
  return inputs.length === 0 ? {} : { inputs: Object.fromEntries(inputs) };
}

function whyNotStorable(value: JsonValue): string | undefined {
  if (typeof value === 'string')
    return value.isWellFormed() && !value.includes('\0')
      ? undefined
      : 'has a character that no environment variable can hold';
  if (typeof value !== 'object' || value === null) return undefined;
  const items = Array.isArray(value) ? value : [value];
  if (items.some((item) => typeof item === 'object' && item !== null))
    return 'must be a string, a number, true or false, or a list of strings';
  return items.map(whyNotStorable).find((reason) => reason !== undefined);
}
