import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { requestIds } from './request-id.ts';

const OWN_ID = /^[0-9a-f-]{36}$/;
const PROXY_ID = 'from-the-proxy.0123456789_ABC';

function requestFrom(address: string, id: string | undefined): IncomingMessage {
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
    expect(requestIds(PROXIES)(requestFrom(address, PROXY_ID))).toBe(PROXY_ID);
  },
);

test.each(['11.1.2.3', '::1', '', 'nonsense'])('no other client can set the request id: "%s"', (address) => {
  expect(requestIds(PROXIES)(requestFrom(address, PROXY_ID))).toMatch(OWN_ID);
});

test('nobody can set the request id if no proxy is trusted', () => {
  expect(requestIds([])(requestFrom('10.1.2.3', PROXY_ID))).toMatch(OWN_ID);
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
  expect(requestIds(PROXIES)(requestFrom('10.1.2.3', id))).toMatch(OWN_ID);
});
