import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Long enough to be unique; its characters are safe in headers, logs and terminals. */
const WELL_FORMED = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/**
 * Returns the request id. A trusted proxy may set it, so that its log and ours show the same id; from anyone
 * else it is ignored.
 */
export function requestIds(trustedProxies: string[]): (request: IncomingMessage) => string {
  const trusted = new BlockList();
  for (const range of trustedProxies) {
    const [address = '', bits] = range.split('/');
    trusted.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return ({ headers, socket }) => {
    const given = headers['x-request-id'];
    if (typeof given !== 'string' || !WELL_FORMED.test(given)) return randomUUID();
    const { remoteAddress: from = '' } = socket;
    return trusted.check(from, isIP(from) === 6 ? 'ipv6' : 'ipv4') ? given : randomUUID();
  };
}
