import { ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes. */
export interface SpoolLimits {
  memory: number;
  disk: number;
}

const DEFAULT_LIMITS: SpoolLimits = { memory: 4 * 1024 * 1024, disk: 256 * 1024 * 1024 };

interface Entry {
  sequence: number;
  size: number;
  /** Absent: the text is in the file. */
  text?: Buffer;
  offset: number;
}

/**
 * Events that the gateway has not acknowledged, in order: the first in memory, more in an unlinked file,
 * which disappears with the process. A full spool refuses entries that are not essential.
 */
export class Spool {
  readonly #folder: string;
  readonly #limits: SpoolLimits;
  readonly #entries: Entry[] = [];
  #inMemory = 0;
  #onDisk = 0;
  /** Where the next entry goes in the file. */
  #end = 0;
  #file: number | undefined;

  constructor(folder: string, limits = DEFAULT_LIMITS) {
    this.#folder = folder;
    this.#limits = limits;
  }

  get empty(): boolean {
    return this.#entries.length === 0;
  }

  /** Returns false if the spool or the disk is full. Essential entries are always kept, in memory. */
  add(sequence: number, json: string, essential: boolean): boolean {
    const text = Buffer.from(json);
    const entry: Entry = { sequence, size: text.length, offset: 0 };
    if (essential || this.#inMemory + text.length <= this.#limits.memory) {
      entry.text = text;
      this.#inMemory += text.length;
    } else if (!this.#write(entry, text)) {
      return false;
    }
    this.#entries.push(entry);
    return true;
  }

  /** The oldest entries, up to this many bytes, but at least one. */
  first(bytes: number): { texts: Buffer[]; last: number } {
    const texts: Buffer[] = [];
    let size = 0;
    let last = 0;
    for (const entry of this.#entries) {
      if (texts.length > 0 && size + entry.size > bytes) break;
      texts.push(entry.text ?? this.#read(entry));
      size += entry.size;
      last = entry.sequence;
    }
    return { texts, last };
  }

  dropUpTo(sequence: number): void {
    let count = 0;
    for (const entry of this.#entries) {
      if (entry.sequence > sequence) break;
      count += 1;
      if (entry.text) this.#inMemory -= entry.size;
      else this.#onDisk -= entry.size;
    }
    this.#entries.splice(0, count);
    if (this.#onDisk === 0 && this.#end > 0 && this.#file !== undefined) {
      ftruncateSync(this.#file);
      this.#end = 0;
    }
  }

  #write(entry: Entry, text: Buffer): boolean {
    if (this.#end + text.length > this.#limits.disk) return false;
    try {
      this.#file ??= openUnlinked(this.#folder);
      let done = 0;
      while (done < text.length)
        done += writeSync(this.#file, text, done, text.length - done, this.#end + done);
    } catch {
      return false;
    }
    entry.offset = this.#end;
    this.#end += text.length;
    this.#onDisk += text.length;
    return true;
  }

  #read(entry: Entry): Buffer {
    const text = Buffer.alloc(entry.size);
    if (this.#file === undefined) throw new Error('the spool has no file');
    let done = 0;
    while (done < entry.size) {
      const got = readSync(this.#file, text, done, entry.size - done, entry.offset + done);
      if (got === 0) throw new Error('the spool lost its end');
      done += got;
    }
    return text;
  }
}

function openUnlinked(folder: string): number {
  const path = join(folder, `millrace-spool-${process.pid}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}
