import { isIPv6 } from 'node:net';

/**
 * By what senders are counted: an IPv4 address; of IPv6 the first 64 bits, which one household or machine has
 * to itself, so that nobody is many by taking another address of theirs for each request.
 */
export function addressGroup(address: string): string {
  const [bare = ''] = address.toLowerCase().split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  return isIPv6(bare) ? `${words(bare).slice(0, 4).join(':')}::/64` : bare;
}

/**
 * The eight words of an address, without leading zeros. An IPv4 address at its end is two of them, which
 * nobody asks for here.
 */
function words(address: string): string[] {
  const [before = '', after] = address
    .replace(/(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, '0:0')
    .split('::');
  const [first, last] = [split(before), split(after ?? '')];
  const gap = after === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array.from({ length: gap }, () => '0'), ...last].map((word) =>
    word.replace(/^0+(?=.)/, ''),
  );
}

const split = (text: string): string[] => (text === '' ? [] : text.split(':'));
