import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Ranges that are not the public internet: private, shared, local, documentation, multicast, reserved. Most
 * are in the registry of special-purpose addresses (RFC 6890).
 */
const nonPublicIPv4 = new BlockList();
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])
  addRange(nonPublicIPv4, range);

/**
 * In IPv6, only the global unicast range is allowed, except its parts for tunnels, documentation and
 * benchmarks.
 */
const globalIPv6 = new BlockList();
addRange(globalIPv6, '2000::/3');
const nonPublicIPv6 = new BlockList();
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) addRange(nonPublicIPv6, range);
/** NAT64 (RFC 6052): IPv6 addresses that stand for IPv4 addresses. */
const nat64 = new BlockList();
addRange(nat64, '64:ff9b::/96');

function addRange(list: BlockList, range: string): void {
  const [address = '', bits = ''] = range.split('/');
  list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Parses ranges such as `10.1.0.0/16`. Throws if a text is not a range. */
export function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    if (!/^[\da-fA-F.:]+\/\d{1,3}$/.test(range))
      throw new Error(`${range} is not a range such as 10.1.0.0/16`);
    addRange(list, range);
  }
  return list;
}

/** Whether the address is public, or in one of the allowed ranges. */
export function isAllowed(address: string, allowed: BlockList): boolean {
  // The address of an interface may have a zone, as in `fe80::1%eth0`.
  const [bare = ''] = address.split('%');
  if (isIPv4(bare)) return allowed.check(bare, 'ipv4') || !nonPublicIPv4.check(bare, 'ipv4');
  if (!isIPv6(bare)) return false;
  if (allowed.check(bare, 'ipv6')) return true;
  const translatedAddress = nat64.check(bare, 'ipv6') ? lastFourBytes(bare) : undefined;
  if (translatedAddress !== undefined) return isAllowed(translatedAddress, allowed);
  return globalIPv6.check(bare, 'ipv6') && !nonPublicIPv6.check(bare, 'ipv6');
}

/** A NAT64 address has the IPv4 address that it stands for in its last four bytes. */
function lastFourBytes(address: string): string {
  const dotted = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':');
  const [high = '0', low = '0'] = groups.slice(-2);
  const number = (Number.parseInt(high || '0', 16) << 16) | Number.parseInt(low || '0', 16);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}
