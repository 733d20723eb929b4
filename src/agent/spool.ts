import { ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ReusedBuffer } from './reused-buffer.ts';

/** How many bytes of events the spool holds in memory and on disk. */
export interface SpoolLimits {
  memory: number;
  disk: number;
}

const DEFAULT_LIMITS: SpoolLimits = { memory: 1024 * 1024, disk: 256 * 1024 * 1024 };

interface Entry {
  sequence: number;
  /** Length in bytes. */
  size: number;
  /** Absent: the text is in the file. */
  json?: string;
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
  readonly #joined = new ReusedBuffer();
  readonly #written = new ReusedBuffer();
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
    const entry: Entry = { sequence, size: Buffer.byteLength(json), offset: 0 };
    if (essential || this.#bytesInMemory + entry.size <= this.#limits.memory) {
      entry.json = json;
      this.#bytesInMemory += entry.size;
    } else if (!this.#write(entry, json)) {
      return false;
    }
    this.#entries.push(entry);
    return true;
  }

  /**
   * The oldest entries, separated by commas and between `start` and `end`: as many as fit into `bytes`, but
   * at least one. The next call overwrites the returned Buffer.
   */
  first(bytes: number, { start, end }: { start: string; end: string }): Buffer {
    const count = this.#countThatFits(bytes);
    const entries = this.#entries.slice(0, count);
    const size = entries.reduce((sum, entry) => sum + entry.size, 0);
    const commas = Math.max(count - 1, 0);
    const joined = this.#joined.take(start.length + size + commas + end.length);
    let at = joined.write(start);
    for (const [index, entry] of entries.entries()) {
      if (index > 0) at += joined.write(',', at);
      if (entry.json === undefined) this.#read(entry, joined, at);
      else joined.write(entry.json, at);
      at += entry.size;
    }
    joined.write(end, at);
    return joined;
  }

  #countThatFits(bytes: number): number {
    let size = 0;
    const index = this.#entries.findIndex((entry) => (size += entry.size) > bytes);
    return index === -1 ? this.#entries.length : Math.max(index, 1);
  }

  dropUpTo(sequence: number): void {
    let count = 0;
    for (const entry of this.#entries) {
      if (entry.sequence > sequence) break;
      count += 1;
      if (entry.json === undefined) this.#bytesOnDisk -= entry.size;
      else this.#bytesInMemory -= entry.size;
    }
    this.#entries.splice(0, count);
    if (this.#bytesOnDisk === 0 && this.#fileEnd > 0 && this.#file !== undefined) {
      ftruncateSync(this.#file);
      this.#fileEnd = 0;
    }
  }

  #write(entry: Entry, json: string): boolean {
    if (this.#fileEnd + entry.size > this.#limits.disk) return false;
    const text = this.#written.take(entry.size);
    text.write(json);
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

  #read(entry: Entry, target: Buffer, at: number): void {
    if (this.#file === undefined) throw new Error('the spool has no file');
    let total = 0;
    while (total < entry.size) {
      const count = readSync(this.#file, target, at + total, entry.size - total, entry.offset + total);
      if (count === 0) throw new Error('the file of the spool is too short');
      total += count;
    }
  }
}

function openUnlinked(folder: string): number {
  const path = join(folder, `millrace-spool-${process.pid}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}
