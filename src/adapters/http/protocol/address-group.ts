import { isIPv6 } from 'node:net';

/**
 * The group by which senders are counted: an IPv4 address, or the first 64 bits of an IPv6 address. A
 * household or machine often has all addresses with the same 64 bits, so it cannot escape a limit by changing
 * its address.
 */
export function addressGroup(address: string): string {
  const [bare = ''] = address.toLowerCase().split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(bare) ? `${hexGroups(bare).slice(0, 4).join(':')}::/64` : bare;
}

/**
 * The eight groups of an IPv6 address, without leading zeros. An IPv4 address at the end becomes two zeros,
 * because the caller reads only the first four groups.
 */
function hexGroups(address: string): string[] {
  const [before = '', after] = address
    .replace(/(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, '0:0')
    .split('::');
  const [first, last] = [splitGroups(before), splitGroups(after ?? '')];
  const gap = after === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array.from({ length: gap }, () => '0'), ...last].map((group) =>
    group.replace(/^0+(?=.)/, ''),
  );
}

const splitGroups = (text: string): string[] => (text === '' ? [] : text.split(':'));
