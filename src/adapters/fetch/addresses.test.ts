import { describe, expect, test } from '@jest/globals';
import { isAllowed, rangesOf } from './addresses.ts';

const noRanges = rangesOf([]);

describe('an address that may be reached', () => {
  test.each([
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.0.3.1',
    '223.255.255.255',
    '2606:4700::1',
    '2a00::1',
    '64:ff9b::101:101',
    '64:ff9b::1.1.1.1',
  ])('%s', (address) => expect(isAllowed(address, noRanges)).toBe(true));
});

describe('an address that may not be reached', () => {
  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:1.1.1.1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    'fc00::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    '64:ff9b::a01:203',
    '64:ff9b::169.254.169.254',
    'localhost',
    '',
  ])('%s', (address) => expect(isAllowed(address, noRanges)).toBe(false));
});

describe('the ranges that an installation allows', () => {
  const allowedRanges = rangesOf(['10.1.0.0/16', 'fd00:1::/32']);
  test.each([
    ['10.1.200.3', true],
    ['10.2.0.1', false],
    ['fd00:1::5', true],
    ['fd00:2::5', false],
  ])('include the address %s: %p', (address, allowed) =>
    expect(isAllowed(address, allowedRanges)).toBe(allowed),
  );

  test.each(['10.1.0.0', 'example.com', '10.0.0.0/x', '/8'])(
    'do not accept %s, which is not a range',
    (range) => {
      expect(() => rangesOf([range])).toThrow('is not a range');
    },
  );
});
