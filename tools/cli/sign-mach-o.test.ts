import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { commandsOf, signAdHoc } from './sign-mach-o.ts';

const PAGE = 4096;

/** A program of three pages and five bytes, with the segments that a signature needs. */
function program(commandsEnd = 0): Buffer {
  const bytes = Buffer.alloc(3 * PAGE + 5, 1).fill(0, 0, PAGE);
  bytes.writeUInt32LE(0xfeedfacf, 0);
  const segments = [
    { name: '__TEXT', offset: 0, size: 2 * PAGE },
    { name: '__LINKEDIT', offset: 2 * PAGE, size: PAGE + 5 },
  ];
  segments.forEach(({ name, offset, size }, index) => {
    const at = 32 + 72 * index;
    bytes.writeUInt32LE(0x19, at);
    bytes.writeUInt32LE(72, at + 4);
    bytes.write(name, at + 8);
    bytes.writeBigUInt64LE(BigInt(offset), at + 40);
    bytes.writeBigUInt64LE(BigInt(size), at + 48);
  });
  bytes.writeUInt32LE(segments.length, 16);
  bytes.writeUInt32LE(72 * segments.length, 20);
  if (commandsEnd > 0) bytes.fill(7, 32 + 72 * segments.length, commandsEnd);
  return bytes;
}

describe('an ad hoc signature', () => {
  const signed = signAdHoc(program(), 'name');
  const start = 3 * PAGE + 16;
  const directory = start + 20;

  test('is named in the header and reaches to the end of the last segment', () => {
    const command = commandsOf(signed).at(-1);
    expect(command).toEqual({ kind: 0x1d, at: 32 + 144, bytes: 16 });
    expect([signed.readUInt32LE(32 + 152), signed.readUInt32LE(32 + 156)]).toEqual([
      start,
      signed.length - start,
    ]);
    expect(signed.readBigUInt64LE(32 + 72 + 48)).toBe(BigInt(signed.length - 2 * PAGE));
    expect(signed.readBigUInt64LE(32 + 72 + 32)).toBe(0x4000n);
  });

  test('is one code directory: version 2.4, SHA-256, pages of 4 KiB, ad hoc', () => {
    expect(signed.readUInt32BE(start)).toBe(0xfade0cc0);
    expect([signed.readUInt32BE(start + 4), signed.readUInt32BE(start + 8)]).toEqual([
      signed.length - start,
      1,
    ]);
    expect(signed.readUInt32BE(directory)).toBe(0xfade0c02);
    expect(signed.readUInt32BE(directory + 8)).toBe(0x20400);
    expect(signed.readUInt32BE(directory + 12)).toBe(0x20002);
    expect([...signed.subarray(directory + 36, directory + 40)]).toEqual([32, 2, 0, 12]);
    expect(signed.toString('latin1', directory + 88, directory + 93)).toBe('name\0');
  });

  test('has the hash of each page, the last one cut at the signature', () => {
    const hashes = directory + 93;
    const pages = [0, 1, 2, 3].map((page) =>
      signed.subarray(page * PAGE, Math.min((page + 1) * PAGE, start)),
    );
    const expected = Buffer.concat(pages.map((page) => createHash('sha256').update(page).digest()));
    expect(signed.subarray(hashes).equals(expected)).toBe(true);
  });

  test('leaves the code as it was', () => {
    expect(signed.subarray(PAGE, 3 * PAGE + 5).equals(program().subarray(PAGE))).toBe(true);
  });

  test.each<[string, () => Buffer, string]>([
    ['a program that is signed', () => signed, 'is signed already'],
    ['a program for Linux', () => Buffer.from('\u007fELF and more of it'), 'not a 64-bit program for macOS'],
    ['a header without room', () => program(PAGE), 'no room for a signature'],
  ])('%s is refused', (_, make, message) => {
    expect(() => signAdHoc(make(), 'name')).toThrow(message);
  });
});
