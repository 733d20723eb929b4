import { createHash } from 'node:crypto';

/*
 * Signs a program for macOS ad hoc, as linkers do: without an identity, but with a hash of each page. Macs
 * with Apple silicon start no unsigned program. The formats are those of Apple's <mach-o/loader.h> and
 * cs_blobs.h.
 */
const MAGIC_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const SEGMENT_64 = 0x19;
const CODE_SIGNATURE = 0x1d;
const SIGNATURE_COMMAND_BYTES = 16;
/** Memory pages of Apple silicon; Intel's are smaller. */
const SEGMENT_ALIGNMENT = 0x4000;

const SUPER_BLOB = { magic: 0xfade0cc0, bytes: 20 };
const CODE_DIRECTORY = { magic: 0xfade0c02, bytes: 88, version: 0x20400, adHocByLinker: 0x20002 };
const PAGE_BITS = 12;
const PAGE_BYTES = 2 ** PAGE_BITS;
const SHA256 = { type: 2, bytes: 32 };
const MAIN_BINARY = 1;

/** A load command in the header of a program. */
interface Command {
  kind: number;
  /** Where the command begins in the file. */
  at: number;
  bytes: number;
}

interface Segment {
  /** Where the command of the segment begins in the file. */
  at: number;
  /** Where the content of the segment begins in the file. */
  offset: number;
  bytes: number;
}

/** The program with a signature at its end. Throws if it is signed already. */
export function signAdHoc(program: Buffer, identifier: string): Buffer {
  const commands = commandsOf(program);
  if (commands.some(({ kind }) => kind === CODE_SIGNATURE)) throw new Error('the program is signed already');
  const start = roundUp(program.length, 16);
  const signed = Buffer.alloc(start + signatureBytes(start, identifier));
  program.copy(signed);
  addCommand(signed, commands, start);
  const text = segmentOf(signed, commands, '__TEXT');
  writeSignature(signed, { start, identifier, text });
  return signed;
}

export function commandsOf(program: Buffer): Command[] {
  if (program.readUInt32LE(0) !== MAGIC_64) throw new Error('not a 64-bit program for macOS');
  const commands: Command[] = [];
  let at = HEADER_BYTES;
  for (let remaining = program.readUInt32LE(16); remaining > 0; remaining -= 1) {
    const bytes = program.readUInt32LE(at + 4);
    commands.push({ kind: program.readUInt32LE(at), at, bytes });
    at += bytes;
  }
  return commands;
}

function segmentOf(program: Buffer, commands: readonly Command[], name: string): Segment {
  const found = commands.find(
    ({ kind, at }) =>
      kind === SEGMENT_64 && program.toString('latin1', at + 8, at + 24).startsWith(`${name}\0`),
  );
  if (found === undefined) throw new Error(`the program has no segment ${name}`);
  const { at } = found;
  return {
    at,
    offset: Number(program.readBigUInt64LE(at + 40)),
    bytes: Number(program.readBigUInt64LE(at + 48)),
  };
}

/**
 * Adds a command for the signature to the header, and extends the last segment to the end of the signature.
 */
function addCommand(signed: Buffer, commands: readonly Command[], start: number): void {
  const size = signed.readUInt32LE(20);
  const at = HEADER_BYTES + size;
  if (signed.subarray(at, at + SIGNATURE_COMMAND_BYTES).some((byte) => byte !== 0))
    throw new Error('the header has no room for a signature');
  signed.writeUInt32LE(commands.length + 1, 16);
  signed.writeUInt32LE(size + SIGNATURE_COMMAND_BYTES, 20);
  [CODE_SIGNATURE, SIGNATURE_COMMAND_BYTES, start, signed.length - start].forEach((value, index) =>
    signed.writeUInt32LE(value, at + 4 * index),
  );
  const last = segmentOf(signed, commands, '__LINKEDIT');
  const bytes = signed.length - last.offset;
  signed.writeBigUInt64LE(BigInt(roundUp(bytes, SEGMENT_ALIGNMENT)), last.at + 32);
  signed.writeBigUInt64LE(BigInt(bytes), last.at + 48);
}

interface Signature {
  /** Where the signature begins: everything before it is signed. */
  start: number;
  identifier: string;
  text: Segment;
}

function writeSignature(signed: Buffer, { start, identifier, text }: Signature): void {
  const pages = Math.ceil(start / PAGE_BYTES);
  const identifierAt = CODE_DIRECTORY.bytes;
  const hashesAt = identifierAt + identifier.length + 1;
  const directoryBytes = hashesAt + pages * SHA256.bytes;
  const directory = start + SUPER_BLOB.bytes;
  writeNumbers(signed, start, [SUPER_BLOB.magic, signed.length - start, 1, 0, SUPER_BLOB.bytes]);
  writeNumbers(signed, directory, [
    CODE_DIRECTORY.magic,
    directoryBytes,
    CODE_DIRECTORY.version,
    CODE_DIRECTORY.adHocByLinker,
    hashesAt,
    identifierAt,
    0,
    pages,
    start,
  ]);
  signed.set([SHA256.bytes, SHA256.type, 0, PAGE_BITS], directory + 36);
  signed.writeBigUInt64BE(BigInt(text.offset), directory + 64);
  signed.writeBigUInt64BE(BigInt(text.bytes), directory + 72);
  signed.writeBigUInt64BE(BigInt(MAIN_BINARY), directory + 80);
  signed.write(identifier, directory + identifierAt, 'latin1');
  for (let page = 0; page < pages; page += 1) {
    const content = signed.subarray(page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, start));
    signed.set(createHash('sha256').update(content).digest(), directory + hashesAt + page * SHA256.bytes);
  }
}

/** Numbers of a signature are big-endian. */
function writeNumbers(signed: Buffer, at: number, numbers: readonly number[]): void {
  numbers.forEach((number, index) => signed.writeUInt32BE(number, at + 4 * index));
}

const signatureBytes = (start: number, identifier: string): number =>
  SUPER_BLOB.bytes +
  CODE_DIRECTORY.bytes +
  identifier.length +
  1 +
  Math.ceil(start / PAGE_BYTES) * SHA256.bytes;

const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;
