import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeStoreKeyPair, sealValue } from '#adapters/crypto/stored-values.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { millrace, type CommandResult } from '#testing/cli/command-line.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/* `millrace secrets` at the public gateway, over a real Postgres. */
let stores: TestStores;
let gateway: Gateway;
let home: string;
let environment: Record<string, string>;
/** The values that the gateway was asked to seal. */
const sealed: string[] = [];

beforeAll(async () => {
  stores = await openStores();
  const { publicKey } = await makeStoreKeyPair();
  gateway = await openGateway(stores, {
    seal: async (value, location) => {
      sealed.push(value);
      return sealValue(publicKey, value, location);
    },
  });
  home = mkdtempSync(join(tmpdir(), 'millrace-home-'));
});
beforeEach(async () => {
  await stores.empty();
  await stores.pool.query(rows()`DELETE FROM stored_secrets`);
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await gateway.account('ann', { teams: { main: 'maintain' } });
  const token = await gateway.session('ann');
  environment = { XDG_CONFIG_HOME: home, MILLRACE_URL: gateway.base, MILLRACE_TOKEN: token };
  sealed.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
  rmSync(home, { recursive: true });
});

async function run(
  line: string,
  { input = '', typed }: { input?: string; typed?: string } = {},
): Promise<CommandResult> {
  return await millrace(`millrace secrets ${line}`, {
    input,
    environment,
    ...(typed !== undefined && { ask: async () => typed }),
  });
}

describe('`millrace secrets set` stores a secret', () => {
  test('from a hidden prompt', async () => {
    expect(await run('set TOKEN', { typed: 'hunter2' })).toMatchObject({
      exit: 0,
      out: '',
      err: 'Stored TOKEN as a secret value for team main.\n',
    });
    expect(sealed).toEqual(['hunter2']);
  });

  test('from standard input, to the last byte', async () => {
    expect(await run('set KEY -p app --stdin', { input: 'one\ntwo\n' })).toMatchObject({ exit: 0 });
    expect(sealed).toEqual(['one\ntwo\n']);
    expect((await run('list -p app')).out).toMatch(/^NAME +KIND .*\nKEY +secret .* ann\n$/);
  });

  test('as a plain value, which the list shows', async () => {
    await run('set STAGE --plain --stdin', { input: 'live' });
    const listed = await run('list --output json');
    expect(JSON.parse(listed.out)).toMatchObject([{ name: 'STAGE', kind: 'plain', value: 'live' }]);
    expect(sealed).toEqual([]);
  });
});

describe('`millrace secrets set` sends nothing', () => {
  test('if the value is an argument, which the error does not repeat', async () => {
    const ran = await run('set TOKEN hunter2');
    expect(ran.exit).toBe(2);
    expect(ran.err).toContain('do not pass the value as an argument');
    expect(ran.err).not.toContain('hunter2');
  });

  test.each<[title: string, options: { input?: string; typed?: string }, line: string, error: string]>([
    ['without a terminal or piped input', {}, 'set TOKEN', 'cannot prompt here'],
    ['if the input is empty', {}, 'set TOKEN --stdin', 'the input is empty'],
    ['if nothing is typed', { typed: '' }, 'set TOKEN', 'the input is empty'],
    ['if it is too long', { input: 'x'.repeat(65 * 1024) }, 'set TOKEN --stdin', 'longer than 64 KiB'],
  ])('%s', async (_title, options, line, error) => {
    const ran = await run(line, options);
    expect(ran.exit).toBe(2);
    expect(ran.err).toContain(error);
    expect(sealed).toEqual([]);
  });
});

test('`millrace secrets delete` deletes a secret, and fails the second time', async () => {
  await run('set TOKEN', { typed: 'hunter2' });
  expect(await run('delete TOKEN')).toMatchObject({ exit: 0, err: 'Deleted TOKEN of team main.\n' });
  expect(await run('list')).toMatchObject({
    exit: 0,
    out: '',
    err: 'No secrets are stored for team main.\n',
  });
  expect((await run('delete TOKEN')).exit).toBe(2);
});
