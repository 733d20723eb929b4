import { expect, test } from '@jest/globals';
import { toUnreachable } from './unreachable.ts';

const URL = 'https://ci.example.org';
const withCode = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) });

test.each([
  ['ECONNREFUSED', 'connection refused. Check the address and the port, and that Millrace runs there.'],
  ['ENOTFOUND', 'no such host. Check the address.'],
  ['EAI_AGAIN', 'its name cannot be resolved at the moment. Check your network.'],
  ['ECONNRESET', 'it closed the connection. It may restart: try again in a minute.'],
  ['EHOSTUNREACH', 'no route to it. Check your network, such as a VPN.'],
  ['UND_ERR_CONNECT_TIMEOUT', 'it did not answer in time. Check your network.'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired. Ask whoever runs it to renew it.'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name. Check the address.'],
  ['EPROTO', 'it does not speak TLS. Check the port.'],
])('a connection that fails with %s says what to do', (code, reason) => {
  expect(toUnreachable(URL, withCode(code)).message).toBe(`${URL} cannot be reached: ${reason}`);
});

test('an unknown failure is shown as it is', () => {
  expect(toUnreachable(URL, withCode('EWEIRD')).message).toBe(`${URL} cannot be reached: EWEIRD`);
});
