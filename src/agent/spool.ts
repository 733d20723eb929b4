import { ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** How many bytes of events the spool holds in memory and on disk. */
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
 * Events that the gateway has not acknowledged, in order. What does not fit into memory is in an unlinked
 * file, which disappears with the process. A full spool refuses entries that are not essential.
 */
export class Spool {
  readonly #folder: string;
  readonly #limits: SpoolLimits;
  readonly #entries: Entry[] = [];
  #bytesInMemory = 0;
  #bytesOnDisk = 0;
  /** Where the next entry goes in the file. */
  #fileEnd = 0;
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
    if (essential || this.#bytesInMemory + text.length <= this.#limits.memory) {
      entry.text = text;
      this.#bytesInMemory += text.length;
    } else if (!this.#write(entry, text)) {
      return false;
    }
    this.#entries.push(entry);
    return true;
  }

  /** The texts of the oldest entries: as many as fit into `bytes`, but at least one. */
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
      if (entry.text) this.#bytesInMemory -= entry.size;
      else this.#bytesOnDisk -= entry.size;
    }
    this.#entries.splice(0, count);
    if (this.#bytesOnDisk === 0 && this.#fileEnd > 0 && this.#file !== undefined) {
      ftruncateSync(this.#file);
      this.#fileEnd = 0;
    }
  }

  #write(entry: Entry, text: Buffer): boolean {
    if (this.#fileEnd + text.length > this.#limits.disk) return false;
    try {
      this.#file ??= openUnlinked(this.#folder);
      let written = 0;
      while (written < text.length)
        written += writeSync(this.#file, text, written, text.length - written, this.#fileEnd + written);
    } catch {
      return false;
    }
    entry.offset = this.#fileEnd;
    this.#fileEnd += text.length;
    this.#bytesOnDisk += text.length;
    return true;
  }

  #read(entry: Entry): Buffer {
    const text = Buffer.alloc(entry.size);
    if (this.#file === undefined) throw new Error('the spool has no file');
    let total = 0;
    while (total < entry.size) {
      const count = readSync(this.#file, text, total, entry.size - total, entry.offset + total);
      if (count === 0) throw new Error('the file of the spool is too short');
      total += count;
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
