import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** 8 to 64 characters: long enough to be unique. All of them are safe in headers, logs and terminals. */
const WELL_FORMED = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/**
 * Returns a function that returns the id of a request. A trusted proxy may set the id, so that its log and
 * ours show the same id; an id from anyone else is ignored.
 */
export function requestIds(trustedProxies: string[]): (request: IncomingMessage) => string {
  const trusted = new BlockList();
  for (const range of trustedProxies) {
    const [address = '', bits] = range.split('/');
    trusted.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return ({ headers, socket }) => {
    const proxyId = headers['x-request-id'];
    if (typeof proxyId !== 'string' || !WELL_FORMED.test(proxyId)) return randomUUID();
    const { remoteAddress: sender = '' } = socket;
    return trusted.check(sender, isIP(sender) === 6 ? 'ipv6' : 'ipv4') ? proxyId : randomUUID();
  };
}
