import { Type, type TProperties } from 'typebox';
import { ROLES } from '#domain/access/roles.ts';

/** A response without a body. */
export const Nothing = { 204: Type.Unsafe<undefined>({ type: 'null', description: 'Done.' }) };

/**
 * Schema of a body, or of an object in one, with these properties. A request with other properties gets 400.
 */
export function body<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

/**
 * A name that Kubernetes accepts for an object: words of lowercase letters, digits and hyphens, joined by
 * dots. A word starts and ends with a letter or a digit.
 */
export const ObjectName = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
});

export const RoleName = Type.Enum([...ROLES]);
export const Username = Type.String({ minLength: 1, maxLength: 100 });
export const Password = Type.String({ minLength: 1, maxLength: 1024 });
export const FullName = Type.String({ maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' });
/** Absent counts as false. */
export const KeepTokens = Type.Optional(
  Type.Boolean({ description: 'true: the API tokens of the account stay valid. Otherwise they end.' }),
);
export const UserParams = Type.Object({ username: Username });
export const RolesByTeam = Type.Record(Type.String(), RoleName);

/** In bytes. Enough for a body with a few short fields. */
export const SMALL_BODY = 8 * 1024;
