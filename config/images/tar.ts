/** A file, directory or link to be written into a tar; owner and group default to root. */
export type TarEntry = {
  readonly path: string;
  readonly mode: number;
  readonly owner?: number;
} & (
  | {
      readonly kind: 'file';
      readonly size: number;
      readonly read: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
    }
  | { readonly kind: 'directory' }
  | { readonly kind: 'link'; readonly target: string }
);

const block = 512;
const typeFlags = { file: '0', directory: '5', link: '2' } as const;

/** Writes entries as a POSIX (ustar) archive: sorted, parents first, one time stamp, so that equal input gives equal bytes. */
export async function* tar(entries: readonly TarEntry[], epoch: number): AsyncGenerator<Uint8Array> {
  const sorted = [...withParents(entries)].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const entry of sorted) {
    yield header(entry, epoch);
    if (entry.kind === 'file') yield* body(entry.path, entry.size, entry.read());
  }
  yield Buffer.alloc(2 * block);
}

/** Adds the directories that the paths pass through, so that no unpacker has to guess their mode. */
function withParents(entries: readonly TarEntry[]): Iterable<TarEntry> {
  const all = new Map<string, TarEntry>();
  for (const entry of entries) {
    if (all.has(entry.path)) throw new Error(`${entry.path} would be in the archive twice`);
    all.set(entry.path, entry);
  }
  for (const { path } of entries) {
    const parts = path.split('/');
    for (let end = 1; end < parts.length; end++) {
      const parent = parts.slice(0, end).join('/');
      if (!all.has(parent)) all.set(parent, { path: parent, mode: 0o755, kind: 'directory' });
    }
  }
  return all.values();
}

async function* body(
  path: string,
  size: number,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let written = 0;
  for await (const chunk of chunks) {
    written += chunk.length;
    yield chunk;
  }
  if (written !== size)
    throw new Error(`${path} changed while it was read: ${size} bytes expected, ${written} read`);
  yield Buffer.alloc((block - (size % block)) % block);
}

function header(entry: TarEntry, epoch: number): Buffer {
  const bytes = Buffer.alloc(block);
  const name = entry.kind === 'directory' ? `${entry.path}/` : entry.path;
  const [prefix, rest] = splitName(name);
  bytes.write(rest, 0);
  writeOctal(bytes, entry.mode, 100, 8);
  writeOctal(bytes, entry.owner ?? 0, 108, 8);
  writeOctal(bytes, entry.owner ?? 0, 116, 8);
  writeOctal(bytes, entry.kind === 'file' ? entry.size : 0, 124, 12);
  writeOctal(bytes, epoch, 136, 12);
  bytes.write(' '.repeat(8), 148);
  bytes.write(typeFlags[entry.kind], 156);
  if (entry.kind === 'link') {
    if (Buffer.byteLength(entry.target) > 100)
      throw new Error(`${entry.target}: too long for a link in a tar`);
    bytes.write(entry.target, 157);
  }
  bytes.write('ustar\x0000', 257);
  bytes.write(prefix, 345);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

/** ustar keeps a name of more than 100 bytes as a prefix (up to 155) and a rest, cut at a slash. */
function splitName(name: string): readonly [prefix: string, rest: string] {
  if (Buffer.byteLength(name) <= 100) return ['', name];
  for (let cut = name.indexOf('/'); cut >= 0; cut = name.indexOf('/', cut + 1)) {
    const [prefix, rest] = [name.slice(0, cut), name.slice(cut + 1)];
    if (Buffer.byteLength(prefix) <= 155 && rest !== '' && Buffer.byteLength(rest) <= 100)
      return [prefix, rest];
  }
  throw new Error(`${name}: too long for a tar`);
}

function writeOctal(bytes: Buffer, value: number, offset: number, width: number): void {
  const text = value.toString(8).padStart(width - 1, '0');
  if (text.length > width - 1) throw new Error(`${value} does not fit into a tar header`);
  bytes.write(text, offset);
}
