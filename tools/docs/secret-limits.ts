import { MAX_SECRET_FILE_BYTES, MAX_YAML_BYTES } from '#adapters/secrets/parse-secret-file.ts';
import { MAX_STORED_SECRET_BYTES, MAX_STORED_SECRETS } from '#domain/access/stored-secret.ts';
import { MAX_SECRET_OUTPUT_BYTES } from '#domain/build/parse-secret-output.ts';
import { MAX_IDENTITIES } from '#domain/pipeline/identity.ts';
import { MAX_FILLED_CHARACTERS, MAX_SECRET_CHARACTERS, MAX_SECRETS } from '#domain/planning/secret-limits.ts';
import { MAX_IDENTITY_TOKENS } from '#flows/builds/issue-identity-tokens.ts';
import { VAULT_MS } from '#gateway/vault-secrets.ts';
import { bytes, characters, count, milliseconds } from './limit-values.ts';
import type { Limit } from './limit.ts';

const FAILS = 'the step or check fails, and says so';

/** Limits of secrets and identity tokens. */
export const SECRET_LIMITS: readonly Limit[] = [
  ['Secrets that a step or check needs, with those that they need', count(MAX_SECRETS), 'condition', FAILS],
  ['Length of a value', characters(MAX_SECRET_CHARACTERS), 'condition', FAILS],
  [
    'Length of a job or resource with its values, and of the configuration of a secret',
    characters(MAX_FILLED_CHARACTERS),
    'condition',
    FAILS,
  ],
  ['File of values in JSON or as `NAME=value`', bytes(MAX_SECRET_FILE_BYTES), 'condition', FAILS],
  ['File of values in YAML', bytes(MAX_YAML_BYTES), 'condition', FAILS],
  [
    'Time to read the secrets of one step from Vault',
    milliseconds(VAULT_MS),
    'later',
    'the agent asks again',
  ],
  ['Output of the get of a secret type', bytes(MAX_SECRET_OUTPUT_BYTES), 'condition', FAILS],
  ['Value that the API stores', bytes(MAX_STORED_SECRET_BYTES), 'refusal', '400'],
  ['Values that the API stores for a team, and for a pipeline', count(MAX_STORED_SECRETS), 'refusal', '400'],
  ['`identity` blocks of a job', count(MAX_IDENTITIES), 'diagnostic', '`invalid-identity`'],
  ['Identity tokens of an attempt of a build', count(MAX_IDENTITY_TOKENS), 'condition', FAILS],
];
