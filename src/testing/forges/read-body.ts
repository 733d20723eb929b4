/** All bytes of a stream. */
export async function readBytes(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (chunk instanceof Buffer) chunks.push(chunk);
  return Buffer.concat(chunks);
}
