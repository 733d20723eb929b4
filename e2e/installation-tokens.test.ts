import { createHash, randomBytes } from 'node:crypto';
import { request as ask } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { get } from '#e2e/support/read-objects.ts';
import { RELEASE } from '#tools/chart/install.ts';

const SECRET = `${RELEASE.name}-tokens`;
const NAMESPACE = ['--namespace', RELEASE.namespace];
const token = randomBytes(20).toString('hex');
const hash = createHash('sha256').update(token).digest('hex');
/** Enough connections that every replica gets some. */
const CONNECTIONS = 40;

const tokens = async (): Promise<Record<string, object>> => {
  const text = await kubectl('get', 'secret', SECRET, ...NAMESPACE, '-o', 'jsonpath={.data.tokens\\.json}');
  const parsed: Record<string, object> = JSON.parse(Buffer.from(text, 'base64').toString());
  return parsed;
};
const writeTokens = async (tokensByHash: Record<string, object>): Promise<void> => {
  const patch = JSON.stringify({ stringData: { 'tokens.json': JSON.stringify(tokensByHash) } });
  await kubectl('patch', 'secret', SECRET, ...NAMESPACE, '--type=merge', '-p', patch);
};
const gatewayPods = async (): Promise<string> =>
  await kubectl(
    'get',
    'pods',
    ...NAMESPACE,
    '-l',
    'app.kubernetes.io/component=gateway-public',
    '-o',
    'name',
  );

let host = '';
beforeAll(async () => {
  host = String((await get('service', `${RELEASE.name}-public`, ...NAMESPACE)).spec['clusterIP']);
});
afterAll(async () => {
  const { [hash]: addedToken, ...others } = await tokens();
  if (addedToken !== undefined) await writeTokens(others);
});

/** The statuses of requests over separate connections; a reused connection would stay with one Pod. */
const statuses = async (): Promise<number[]> =>
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const headers = { authorization: `Bearer ${token}` };
      const sent = ask({ host, path: '/teams/e2e-nobody/members', agent: false, headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      });
      sent.setTimeout(120_000, () => sent.destroy(new Error('no answer'))).on('error', reject);
      sent.end();
      return await promise;
    }),
  );

test('every replica accepts an installation token exactly while the Secret holds it, without a restart', async () => {
  const pods = await gatewayPods();
  await eventually(async () => expect(new Set(await statuses())).toEqual(new Set([401])));
  await writeTokens({ ...(await tokens()), [hash]: { user: 'e2e-rotation', team: '*', role: 'admin' } });
  expect(await statuses()).not.toContain(401);
  const { [hash]: addedToken, ...others } = await tokens();
  expect(addedToken).toBeDefined();
  await writeTokens(others);
  await eventually(async () => expect(new Set(await statuses())).toEqual(new Set([401])));
  expect(await gatewayPods()).toBe(pods);
}, 600_000);
