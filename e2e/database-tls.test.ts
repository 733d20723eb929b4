import { expect, test } from '@jest/globals';
import { kubectl } from '#e2e/support/kubectl.ts';
import { RELEASE } from '#tools/chart/install.ts';

const inRelease = (...args: string[]): Promise<string> => kubectl('--namespace', RELEASE.namespace, ...args);

/**
 * Sends the StartupMessage of Postgres' protocol as a client without TLS does, and prints the answer. 196608
 * is version 3.0 of the protocol: 3 << 16.
 */
const CONNECT_WITHOUT_TLS = `
const words = Buffer.from('user\\0millrace\\0database\\0millrace\\0\\0');
const head = Buffer.alloc(8);
head.writeInt32BE(8 + words.length, 0);
head.writeInt32BE(196608, 4);
const host = '${RELEASE.name}-postgres';
const socket = require('node:net').connect(5432, host, () => socket.write(Buffer.concat([head, words])));
socket.on('data', (answer) => { console.log(answer.toString('latin1')); socket.end(); });
`;

test('the Postgres of the chart refuses connections without TLS', async () => {
  const answer = await inRelease(
    'exec',
    `deployment/${RELEASE.name}-gateway-public`,
    '--',
    'node',
    '-e',
    CONNECT_WITHOUT_TLS,
  );
  expect(answer).toContain('no encryption');
}, 600_000);

test('every connection of operators and gateways is encrypted', async () => {
  const sql = `SELECT count(*) FILTER (WHERE s.ssl), count(*) FILTER (WHERE NOT s.ssl)
    FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid) WHERE a.client_addr IS NOT NULL`;
  const ask = ['psql', '--username=postgres', '--no-align', '--tuples-only', '--command', sql];
  const answer = await inRelease('exec', `statefulset/${RELEASE.name}-postgres`, '--', ...ask);
  const [encrypted, plain] = answer.trim().split('|').map(Number);
  expect(encrypted).toBeGreaterThan(3);
  expect(plain).toBe(0);
}, 600_000);
