const NEWLINE = 0x0a;

/**
 * Splits a body into lines. Only a newline ends a line, so text after the last newline is dropped. Throws if
 * an incomplete line exceeds `maxBytes`.
 */
export async function* linesOf(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, end));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      length = 0;
      from = end + 1;
    }
    if (from < chunk.length) {
      parts.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > maxBytes) throw new Error(`A line of the body is longer than ${maxBytes} bytes.`);
    }
  }
}
