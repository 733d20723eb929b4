import { fieldProblem, type FieldProblem } from './form-fields.ts';

type Values = Readonly<Record<string, string | undefined>>;

const TEXT_FIELDS = [
  'display_name',
  'client_id',
  'issuer_url',
  'auth_url',
  'token_url',
  'userinfo_url',
  'username_claim',
  'groups_claim',
] as const;

/**
 * Returns the body of an API call with what was entered. It lacks the texts that the form does not have, so
 * the API keeps their values.
 */
export function enteredProvider(fields: Values): Record<string, unknown> {
  const texts = TEXT_FIELDS.flatMap((name) =>
    fields[name] === undefined ? [] : [[name, fields[name].trim()]],
  );
  const { type, scopes = '' } = fields;
  return {
    ...Object.fromEntries(texts),
    ...(type !== undefined && { type }),
    scopes: scopes.split(/[\s,]+/).filter((scope) => scope !== ''),
    enabled: fields['enabled'] === 'yes',
  };
}

/** Returns the values that a page may show again: all except the secret and the CSRF token. */
export function repeatableValues(fields: Values): Values {
  const repeatable = Object.entries(fields).filter(
    ([name]) => name !== 'client_secret' && name !== 'csrf_token',
  );
  return { enabled: 'no', ...Object.fromEntries(repeatable) };
}

/**
 * Words in messages of the API, and the field that each is about. The first entry whose words occur counts.
 */
const FIELDS_BY_WORDS: readonly (readonly [string, string])[] = [
  ['client_secret', 'client_secret'],
  ['client ID', 'client_id'],
  ['issuerUrl', 'issuer_url'],
  ['authUrl', 'auth_url'],
  ['tokenUrl', 'token_url'],
  ['userInfoUrl', 'userinfo_url'],
  ['scope', 'scopes'],
  ['Its name', 'canonical'],
  ['exists already', 'canonical'],
];

export function providerProblem(message: string): FieldProblem {
  const field = FIELDS_BY_WORDS.find(([words]) => message.includes(words))?.[1];
  return fieldProblem(message, [...TEXT_FIELDS, 'canonical', 'client_secret', 'scopes'], field);
}
