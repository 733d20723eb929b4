import { isIPv6 } from 'node:net';

/**
 * The group by which senders are counted: an IPv4 address, or the first 64 bits of an IPv6 address. One
 * household or machine has those to itself, so changing the address does not help.
 */
export function addressGroup(address: string): string {
  const [bare = ''] = address.toLowerCase().split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(bare) ? `${words(bare).slice(0, 4).join(':')}::/64` : bare;
}

/**
 * The eight words of an address, without leading zeros. An IPv4 address at its end becomes two zeros, which
 * no caller reads.
 */
function words(address: string): string[] {
  const [before = '', after] = address
    .replace(/(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, '0:0')
    .split('::');
  const [first, last] = [splitWords(before), splitWords(after ?? '')];
  const gap = after === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array.from({ length: gap }, () => '0'), ...last].map((word) =>
    word.replace(/^0+(?=.)/, ''),
  );
}

const splitWords = (text: string): string[] => (text === '' ? [] : text.split(':'));
