import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';

/** A file, directory or link in a tar; owner and group default to root. */
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

/** Writes a POSIX archive: sorted, parents first, one time stamp, so that equal input gives equal bytes. */
export async function* tar(entries: readonly TarEntry[], epoch: number): AsyncGenerator<Uint8Array> {
  const sorted = [...withParents(entries)].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const archive = pack();
  const written = addAll(archive, sorted, new Date(epoch * 1000));
  // Errors while writing end the reading below.
  written.catch((error: unknown) => archive.destroy(Error.isError(error) ? error : new Error(String(error))));
  for await (const chunk of archive) {
    if (!Buffer.isBuffer(chunk)) throw new Error('An archive is made of bytes.');
    yield chunk;
  }
  await written;
}

async function addAll(archive: Pack, entries: readonly TarEntry[], mtime: Date): Promise<void> {
  for (const entry of entries) await add(archive, entry, mtime);
  archive.finalize();
}

/** Adds the missing parent directories of all paths, with the mode 0755. */
function withParents(entries: readonly TarEntry[]): Iterable<TarEntry> {
  const byPath = new Map<string, TarEntry>();
  for (const entry of entries) {
    if (byPath.has(entry.path)) throw new Error(`${entry.path} would be in the archive twice`);
    byPath.set(entry.path, entry);
  }
  for (const { path } of entries) {
    const parts = path.split('/');
    for (let end = 1; end < parts.length; end++) {
      const parent = parts.slice(0, end).join('/');
      if (!byPath.has(parent)) byPath.set(parent, { path: parent, mode: 0o755, kind: 'directory' });
    }
  }
  return byPath.values();
}

async function add(archive: Pack, entry: TarEntry, mtime: Date): Promise<void> {
  const { path, mode, owner = 0 } = entry;
  const header = { name: path, mode, mtime, uid: owner, gid: owner };
  if (entry.kind === 'directory') {
    archive.entry({ ...header, name: `${path}/`, type: 'directory' });
    return;
  }
  if (entry.kind === 'link') {
    archive.entry({ ...header, type: 'symlink', linkname: entry.target });
    return;
  }
  const { size } = entry;
  let read = 0;
  const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      read += chunk.length;
      if (read <= size) yield chunk;
    }
    if (read !== size)
      throw new Error(`${path} changed while it was read: ${size} bytes expected, ${read} read`);
  };
  await pipeline(Readable.from(entry.read()), counted, archive.entry({ ...header, type: 'file', size }));
}
