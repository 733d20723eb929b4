import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export type StoredText = { encoding: 'plain' | 'zstd'; content: Buffer };

/** Shorter texts stay plain, because compression would make most of them longer. */
const MIN_COMPRESSED_BYTES = 256;

export function encodeText(text: string): StoredText {
  const plain = Buffer.from(text, 'utf8');
  if (plain.length < MIN_COMPRESSED_BYTES) return { encoding: 'plain', content: plain };
  const compressed = zstdCompressSync(plain);
  return compressed.length < plain.length
    ? { encoding: 'zstd', content: compressed }
    : { encoding: 'plain', content: plain };
}

export function decodeText({ encoding, content }: StoredText): string {
  return (encoding === 'zstd' ? zstdDecompressSync(content) : content).toString('utf8');
}

/**
 * Returns the first day of the month in which a build was created, as `2026-11-01`. All logs of the build are
 * in the table of that month.
 */
export function logMonth(createdAt: Date): string {
  return `${createdAt.toISOString().slice(0, 7)}-01`;
}
