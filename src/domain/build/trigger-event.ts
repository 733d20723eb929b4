import { flattenVersion, roundedField, VERSION_LIMITS } from './parse-check-output.ts';

export type TriggerEvent = { ok: true; version: Record<string, string> } | { ok: false; message: string };

/** Fields that Millrace itself sets in the versions of a resource of the type `trigger`. */
const OWN_FIELDS = /^trigger_/;

/**
 * The version that a person creates in a resource of the type `trigger`, or why the fields are refused.
 * `trigger_by` and `trigger_time` make two versions with the same fields differ.
 */
export function triggerEvent(fields: unknown, { by, at }: { by: string; at: Date }): TriggerEvent {
  const ownFields = { trigger_by: by, trigger_time: at.toISOString() };
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    return { ok: false, message: 'The version is not an object.' };
  const reservedField = Object.keys(fields).find((name) => OWN_FIELDS.test(name));
  if (reservedField !== undefined)
    return {
      ok: false,
      message: `The field ${reservedField} is set by the server: names that begin with trigger_ are reserved.`,
    };
  const rounded = roundedField(fields);
  if (rounded !== undefined)
    return {
      ok: false,
      message: `The number in the field ${rounded} has too many digits to be read exactly. Write it as a text, in quotes.`,
    };
  const version = flattenVersion({ ...fields, ...ownFields });
  if (version === undefined)
    return {
      ok: false,
      message:
        `The version is too large: it may have ${VERSION_LIMITS.fields} fields of ` +
        `${VERSION_LIMITS.name} characters in their names, and ${VERSION_LIMITS.characters} characters in all.`,
    };
  return { ok: true, version };
}
