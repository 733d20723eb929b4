// The binary format of WebAssembly: https://webassembly.github.io/spec/core/binary/modules.html
/** The magic number and the version, four bytes each, come before the sections. */
const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const PAGE_BYTES = 64 * 1024;

/**
 * Returns the module with a maximum for its memory. Go's linker sets none, and the `resourceLimits` of a
 * worker do not cover this memory. An allocation beyond the maximum ends the engine, but not its process.
 */
export function limitMemory(module: Uint8Array, megabytes: number): Uint8Array {
  let offset = HEADER_BYTES;
  while (offset < module.length) {
    const [size, start] = readNumber(module, offset + 1);
    if (module[offset] === MEMORY_SECTION) {
      const section = boundedSection(
        module.subarray(start, start + size),
        (megabytes * 1024 * 1024) / PAGE_BYTES,
      );
      return Buffer.concat([module.subarray(0, offset), section, module.subarray(start + size)]);
    }
    offset = start + size;
  }
  throw new Error('the HCL engine has no memory section; build it again');
}

/**
 * Encodes the memory section with a maximum, in pages. The section has one memory. Go's linker encodes the
 * limits of the memory as `00 min`; with a maximum they are `01 min max`.
 */
function boundedSection(content: Uint8Array, maximum: number): Uint8Array {
  // Before the minimum are the number of memories and the byte that says whether there is a maximum.
  const [minimum] = readNumber(content, 2);
  const body = [1, 1, ...writeNumber(minimum), ...writeNumber(Math.max(minimum, maximum))];
  return Uint8Array.from([MEMORY_SECTION, ...writeNumber(body.length), ...body]);
}

/** Decodes LEB128: the number, and the index after it. */
function readNumber(bytes: Uint8Array, start: number): [value: number, end: number] {
  let value = 0;
  let offset = start;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[offset++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  return [value, offset];
}

function writeNumber(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...writeNumber(value >>> 7)];
}
