import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export type StoredText = { encoding: 'plain' | 'zstd'; content: Buffer };

/** In bytes. Smaller texts grow by compression. */
const MIN_COMPRESSED_BYTES = 256;

export function storeText(text: string): StoredText {
  const plain = Buffer.from(text, 'utf8');
  if (plain.length < MIN_COMPRESSED_BYTES) return { encoding: 'plain', content: plain };
  const compressed = zstdCompressSync(plain);
  return compressed.length < plain.length
    ? { encoding: 'zstd', content: compressed }
    : { encoding: 'plain', content: plain };
}

export function readText({ encoding, content }: StoredText): string {
  return (encoding === 'zstd' ? zstdDecompressSync(content) : content).toString('utf8');
}

/** The month of the build's creation. All its logs are in the table of that month. */
export function logMonth(createdAt: Date): string {
  return `${createdAt.toISOString().slice(0, 7)}-01`;
}
