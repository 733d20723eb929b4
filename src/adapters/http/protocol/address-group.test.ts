import { describe, expect, test } from '@jest/globals';
import { addressGroup } from './address-group.ts';

describe('senders are counted', () => {
  test.each([
    ['by their whole IPv4 address', '203.0.113.9', '203.0.113.9'],
    ['by it also when IPv6 carries it', '::ffff:203.0.113.9', '203.0.113.9'],
    ['by 64 bits of IPv6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['by 64 bits, whatever is left out', '2001:db8::5', '2001:db8:0:0::/64'],
    ['by 64 bits, however they are written', '2001:0DB8:0000::a:1', '2001:db8:0:0::/64'],
    ['by 64 bits, with a gap in them', '2001::7:0:0:0:1', '2001:0:0:7::/64'],
    ['by 64 bits, with IPv4 at the end', '64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['by 64 bits of a link, whichever it is', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['together on this machine', '::1', '0:0:0:0::/64'],
    ['by the word that stands there when it is no address', 'unknown', 'unknown'],
  ])('%s', (_name, address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
