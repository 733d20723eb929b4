import { utf8Length } from '#domain/utf8-length.ts';

/**
 * `secret`: the API never returns the value, and logs mask it. `plain`: members can read it, and logs show
 * it.
 */
export type SecretKind = 'secret' | 'plain';

/** Limit for one value, in bytes of UTF-8. */
export const MAX_STORED_SECRET_BYTES = 64 * 1024;
/** How many secrets a team can share. Each pipeline can have as many of its own. */
export const MAX_STORED_SECRETS = 500;

export interface StoredSecretFacts {
  /** Kind of the stored secret with the same name. Absent: there is none. */
  kind?: SecretKind;
  /** Number of secrets that the team shares or, for a secret of a pipeline, that the pipeline has. */
  count: number;
}

export interface SecretRefusal {
  code: 'KindIsFixed' | 'TooManySecrets' | 'ValueTooLong' | 'InvalidValue';
  message: string;
}

const NOT_TEXT =
  'The value has a null character or is not valid Unicode. ' +
  'Store it as base64, and decode it where you use it.';

/** Why a value cannot be stored. Undefined: it can. */
export function refuseSecret(
  { name, kind, value }: { name: string; kind: SecretKind; value: string },
  facts: StoredSecretFacts,
): SecretRefusal | undefined {
  if (!value.isWellFormed() || value.includes('\u0000')) return { code: 'InvalidValue', message: NOT_TEXT };
  if (utf8Length(value) > MAX_STORED_SECRET_BYTES) {
    const message = `The value is longer than ${MAX_STORED_SECRET_BYTES / 1024} KiB. Store a shorter one, or several.`;
    return { code: 'ValueTooLong', message };
  }
  if (facts.kind !== undefined && facts.kind !== kind) {
    const message = `${name} is stored as ${facts.kind}. To store it as ${kind}, delete it first.`;
    return { code: 'KindIsFixed', message };
  }
  if (facts.kind === undefined && facts.count >= MAX_STORED_SECRETS) {
    const message = `There are ${facts.count} secrets already, the most that can be stored here. Delete some first.`;
    return { code: 'TooManySecrets', message };
  }
  return undefined;
}
