import type { lookup } from 'node:dns';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { guardedFetch } from './guarded-fetch.ts';

/** Addresses that no URL of a user may reach. */
const INSIDE = [
  '127.0.0.1',
  '127.8.7.6',
  '10.0.0.1',
  '172.16.5.4',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.10',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
];

type Bytes = [number, number, number, number];
const bytesOf = (address: string): Bytes => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a, b, c, d];
};
const numberOf = ([a, b, c, d]: Bytes): number => ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
const hex = (value: number, width = 0): string => value.toString(16).padStart(width, '0');
const hexGroups = (bytes: Bytes): string => {
  const digits = hex(numberOf(bytes), 8);
  return `${digits.slice(0, 4)}:${digits.slice(4)}`;
};
const inWideDigits = (text: string): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
const inCircledDigits = (text: string): string =>
  text.replaceAll(/[1-9]/g, (digit) => String.fromCodePoint(0x245f + Number(digit)));

/** Spellings of one address. */
const SPELLINGS: Record<string, (bytes: Bytes) => string> = {
  'in dotted decimal': (b) => b.join('.'),
  'with a dot at its end': (b) => `${b.join('.')}.`,
  'as one number': (b) => String(numberOf(b)),
  'as one number in hex': (b) => `0x${hex(numberOf(b))}`,
  'as one number in capitals of hex': (b) => `0X${hex(numberOf(b)).toUpperCase()}`,
  'as one number in octal': (b) => `0${numberOf(b).toString(8)}`,
  'each byte in hex': (b) => b.map((byte) => `0x${hex(byte)}`).join('.'),
  'each byte in octal': (b) => b.map((byte) => `0${byte.toString(8)}`).join('.'),
  'with zeros before each byte': (b) => b.map((byte) => `0000${byte.toString(8)}`).join('.'),
  'one byte in hex, the others not': ([a, ...rest]) => [`0x${hex(a)}`, ...rest].join('.'),
  'in two parts': ([a, b, c, d]) => `${a}.${(b << 16) | (c << 8) | d}`,
  'in three parts': ([a, b, c, d]) => `${a}.${b}.${(c << 8) | d}`,
  'in two parts of hex': ([a, b, c, d]) => `0x${hex(a)}.0x${hex((b << 16) | (c << 8) | d)}`,
  'with percent signs': (b) => b.join('.').replaceAll(/./g, (char) => `%${hex(char.codePointAt(0) ?? 0)}`),
  'with a dot of another script': (b) => b.join('。'),
  'with a half-wide dot': (b) => b.join('｡'),
  'in wide digits': (b) => inWideDigits(b.join('.')),
  'in circled digits': (b) => inCircledDigits(b.join('.')),
  'with a soft hyphen within': (b) => b.join('.').replace('.', '\u00AD.'),
  'with a space of no width within': (b) => b.join('.').replace('.', '\u200B.'),
  'mapped into IPv6': (b) => `[::ffff:${b.join('.')}]`,
  'mapped into IPv6, in hex': (b) => `[::ffff:${hexGroups(b)}]`,
  'mapped into IPv6, written out': (b) => `[0000:0000:0000:0000:0000:ffff:${hexGroups(b)}]`,
  'compatible with IPv6': (b) => `[::${hexGroups(b)}]`,
  'through NAT64': (b) => `[64:ff9b::${b.join('.')}]`,
  'through NAT64, in hex': (b) => `[64:ff9b::${hexGroups(b)}]`,
  'through NAT64 of one site': (b) => `[64:ff9b:1::${hexGroups(b)}]`,
  'through 6to4': (b) => `[2002:${hexGroups(b)}::]`,
  'through Teredo': (b) => `[2001:0:${hexGroups(b)}::]`,
  'through ISATAP': (b) => `[fe80::5efe:${hexGroups(b)}]`,
};

let server: Server;
let connections = 0;
let port = 0;
beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** A lookup that finds no name. What the URL parser does not accept as an address is an unknown name. */
const findNoName: unknown = (_name: string, _options: object, callback: (error: Error) => void) =>
  callback(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));

/** The reason when no connection was attempted. */
const REFUSED = /not a public address$|there is no such host$|ERR_INVALID_URL/;

describe('an internal address is refused', () => {
  test.each(Object.entries(SPELLINGS))('%s', async (_spelling, spell) => {
    if (!isLookup(findNoName)) throw new Error('no function');
    const fetcher = guardedFetch({ resolve: findNoName });
    const answers = await Promise.all(
      INSIDE.map(async (address) => {
        const result = await fetcher.get(`http://${spell(bytesOf(address))}:${port}/`, { allowHttp: true });
        return 'failure' in result ? result.failure : 'it was fetched';
      }),
    );
    await fetcher.close();
    expect(answers.filter((answer) => !REFUSED.test(answer))).toEqual([]);
    expect(connections).toBe(0);
  });

  test('a name is resolved at each connection, so one that turns internal is reached only once', async () => {
    let lookups = 0;
    const rebinding: unknown = (
      _name: string,
      _options: object,
      callback: (error: null, result: object[]) => void,
    ) => {
      lookups += 1;
      callback(null, [{ address: lookups === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }]);
    };
    if (!isLookup(rebinding)) throw new Error('no function');
    const fetcher = guardedFetch({ allowedRanges: ['127.0.0.2/32'], resolve: rebinding });
    for (let times = 0; times < 5; times += 1) {
      const result = await fetcher.get(`http://rebinding.example:${port}/`, { allowHttp: true });
      expect(result).toHaveProperty('failure');
    }
    await fetcher.close();
    expect([lookups, connections]).toEqual([5, 1]);
  });
});

const isLookup = (value: unknown): value is typeof lookup => typeof value === 'function';
