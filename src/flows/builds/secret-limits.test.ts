import { describe, expect, test } from '@jest/globals';
import { makeSecretPlaceholder as placeholder } from '#domain/pipeline/secret-placeholder.ts';
import type { SecretLookup } from '#domain/planning/next-lookups.ts';
import { MAX_FILLED_CHARACTERS, MAX_SECRET_CHARACTERS, MAX_SECRETS } from '#domain/planning/secret-limits.ts';
import { job, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { fillStep } from './fill-secrets.ts';
import { lookUpSecrets } from './read-secrets.ts';
import type { SecretOwner, SecretsAnswer, TeamSecrets } from './session-ports.ts';

const owner = { team: 'main', namespace: 'main', pipelineId: 1 };

/** A source in which every secret has a value of this length. `lookups` counts the secrets that were read. */
function secretsOf(length: number): TeamSecrets & { lookups: number } {
  const source = {
    lookups: 0,
    async read(_owner: SecretOwner, lookups: readonly SecretLookup[]): Promise<SecretsAnswer> {
      source.lookups += lookups.length;
      return { answer: 'read', values: new Map(lookups.map(({ name }) => [name, 'x'.repeat(length)])) };
    },
  };
  return source;
}

const attempt = {
  ...owner,
  id: 7,
  pipeline: 'app',
  job: 'unit',
  number: '1',
  attempt: 1,
  createdAt: new Date(0),
  status: 'started',
  retries: 0,
  versions: [],
} as const;

/** Fills the secrets into a task that runs this script. */
async function fill(cmd: string, secrets: TeamSecrets) {
  const task = { kind: 'task' as const, name: 'test', run: { runner: 'shell' as const, cmd } };
  const facts = { ...attempt, versions: [], definition: samplePipeline({ jobs: [job('unit', task)] }) };
  return await fillStep(facts, { id: '0', given: new Map() }, secrets);
}

describe('a hostile pipeline cannot fill the memory of the gateway with secrets', () => {
  test('that a script repeats thousands of times', async () => {
    const cmd = placeholder('git/token').repeat(5000);
    const filled = await fill(cmd, secretsOf(64 * 1024));
    expect(filled).toMatchObject({ answer: 'filled', operation: { command: { script: cmd } }, masks: [] });
    expect(filled).toHaveProperty(
      'operation.refusal',
      expect.stringContaining('longer than 8,388,608 characters'),
    );
  });

  test('of which a step names too many', async () => {
    const secrets = secretsOf(1);
    const names = Array.from({ length: MAX_SECRETS + 1 }, (_, index) => placeholder(`git/${index}`));
    expect(await fill(names.join(' '), secrets)).toHaveProperty(
      'operation.refusal',
      expect.stringContaining(`It needs more than ${MAX_SECRETS} secrets`),
    );
    expect(secrets.lookups).toBe(0);
  });

  test('of which one is too long', async () => {
    expect(await fill(placeholder('git/token'), secretsOf(MAX_SECRET_CHARACTERS + 1))).toHaveProperty(
      'operation.refusal',
      'The secret git/token has no value: it is longer than 262,144 characters.',
    );
  });

  test('that the configuration of a secret repeats', async () => {
    const config = { token: placeholder('token').repeat(1 + MAX_FILLED_CHARACTERS / (64 * 1024)) };
    const vault = { name: 'vault', builtIn: true, origin: { source: 'svc://vault' }, config };
    const env = { name: 'env', builtIn: true, origin: { source: 'svc://env' }, config: {} };
    const definition = {
      ...samplePipeline(),
      secretTypes: [vault, env],
      secrets: [
        { name: 'password', type: 'vault', path: 'kv/app', key: 'password' },
        { name: 'token', type: 'env', key: 'VAULT' },
      ],
    };
    const secrets = secretsOf(64 * 1024);
    const read = await lookUpSecrets(['password'], { ...owner, definition, given: new Map() }, secrets);
    const reason = 'with other secrets in it, its configuration is longer than 8,388,608 characters';
    expect(read).toMatchObject({
      answer: 'read',
      missing: new Map([['password', `The vault secret password has no value: ${reason}.`]]),
    });
    expect(secrets.lookups).toBe(1);
  });

  test('while the secrets of usual pipelines are filled in', async () => {
    const names = Array.from({ length: MAX_SECRETS }, (_, index) => placeholder(`git/${index}`));
    const filled = await fill(names.join(' '), secretsOf(4096));
    expect(filled).not.toHaveProperty('operation.refusal');
  });
});
