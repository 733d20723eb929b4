import { expect, test } from '@jest/globals';
import { toUnreachable } from './unreachable.ts';

const URL = 'https://ci.example.org';
const withCode = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) });

test.each([
  ['ECONNREFUSED', 'connection refused. Check the address and the port, and that Millrace runs there.'],
  ['ENOTFOUND', 'no such host. Check the address.'],
  ['EAI_AGAIN', 'its name cannot be resolved at the moment. Check your network.'],
  ['ECONNRESET', 'it closed the connection. It may be restarting: try again in a minute.'],
  ['EHOSTUNREACH', 'no route to it. Check your network, such as a VPN.'],
  ['UND_ERR_CONNECT_TIMEOUT', 'it did not answer in time. Check your network.'],
  ['CERT_HAS_EXPIRED', "the server's certificate has expired. Ask whoever runs the server to renew it."],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "the server's certificate is for another name. Check the address."],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    "this machine does not trust the issuer of the server's certificate. " +
      "If you trust the issuer, pass the issuer's certificate with --ca-file.",
  ],
  ['EPROTO', 'it does not speak TLS. Check the port.'],
])('a connection that fails with %s says what to do', (code, reason) => {
  expect(toUnreachable(URL, withCode(code)).message).toBe(`${URL} cannot be reached: ${reason}`);
});

test('an unknown failure is shown as it is', () => {
  expect(toUnreachable(URL, withCode('EWEIRD')).message).toBe(`${URL} cannot be reached: EWEIRD`);
});
