import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { requestIds } from './request-id.ts';

const OWN = /^[0-9a-f-]{36}$/;
const GIVEN = 'from-the-proxy.0123456789_ABC';

function from(address: string, id: string | undefined): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  const message = new IncomingMessage(socket);
  if (id !== undefined) message.headers['x-request-id'] = id;
  return message;
}

const PROXIES = ['10.0.0.0/8', 'fd00::/8'];

test.each(['10.1.2.3', 'fd00::7', '::ffff:10.1.2.3'])(
  'a trusted proxy can set the request id: %s',
  (address) => {
    expect(requestIds(PROXIES)(from(address, GIVEN))).toBe(GIVEN);
  },
);

test.each(['11.1.2.3', '::1', '', 'nonsense'])('no other client can set it: "%s"', (address) => {
  expect(requestIds(PROXIES)(from(address, GIVEN))).toMatch(OWN);
});

test('nobody can set it if no proxy is trusted', () => {
  expect(requestIds([])(from('10.1.2.3', GIVEN))).toMatch(OWN);
});

test.each([
  undefined,
  '',
  'short',
  'x'.repeat(65),
  'two words',
  'a\r\nset-cookie: x=1',
  'a\u001b[31mred-text',
  '"},{"level":"error"',
  '../../etc/passwd',
  'zażółć-gęślą',
  '--------',
])('a malformed request id is replaced: %j', (id) => {
  expect(requestIds(PROXIES)(from('10.1.2.3', id))).toMatch(OWN);
});
