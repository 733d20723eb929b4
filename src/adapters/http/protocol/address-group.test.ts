import { describe, expect, test } from '@jest/globals';
import { addressGroup } from './address-group.ts';

describe('clients are grouped by', () => {
  test.each([
    ['their full IPv4 address', '203.0.113.9', '203.0.113.9'],
    ['the IPv4 address inside a mapped IPv6 address', '::ffff:203.0.113.9', '203.0.113.9'],
    ['64 bits of their IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['64 bits of a shortened IPv6 address', '2001:db8::5', '2001:db8:0:0::/64'],
    ['64 bits of an IPv6 address in any notation', '2001:0DB8:0000::a:1', '2001:db8:0:0::/64'],
    ['64 bits of an IPv6 address with a gap in them', '2001::7:0:0:0:1', '2001:0:0:7::/64'],
    ['64 bits of an IPv6 address that ends in IPv4 notation', '64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['64 bits of a link-local address without its zone', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['this machine for loopback addresses', '::1', '0:0:0:0::/64'],
    ['the text itself if it is not an address', 'unknown', 'unknown'],
  ])('%s', (_name, address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
