import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/* What the audit log says of changes to accounts, over HTTP and a real Postgres. */
let stores: TestStores;
let gateway: Gateway;

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores);
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

test('for a disabled global admin, losing the role is recorded, and keeping it is not', async () => {
  await gateway.account('root', { globalAdmin: true });
  await gateway.account('ann', { globalAdmin: true });
  const as = await gateway.session('root');
  const change = async (body: object) =>
    expect((await gateway.ask('PUT /users/ann', { as, body })).status).toBe(200);
  await change({ disabled: true });
  await change({ global_admin: true });
  await change({ global_admin: false });
  const entries = await stores.pool.any(rows<{ action: string; details: unknown }>()`
    SELECT action, details FROM audit_log WHERE target = 'ann' AND action <> 'user.created' ORDER BY id`);
  expect(entries.map(({ action }) => action)).toEqual(['user.disabled', 'user.global_admin_changed']);
  expect(entries.at(-1)?.details).toMatchObject({ global_admin: false });
});
