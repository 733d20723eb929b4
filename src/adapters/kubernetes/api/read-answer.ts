import type { Dispatcher } from 'undici';

/**
 * Far more bytes than one object may have. Tenants write the objects that Millrace lists, so without this
 * limit they would decide how much memory a list takes.
 */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export class AnswerTooLarge extends Error {
  constructor(limit: number) {
    super(`the answer of the API server has more than ${limit} bytes`);
    this.name = 'AnswerTooLarge';
  }
}

/** The whole body as text. A body over the limit is read no further, and its connection is closed. */
export async function readAnswer(body: Dispatcher.ResponseData['body'], limit: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    const bytes = Buffer.from(part);
    size += bytes.length;
    if (size > limit) throw new AnswerTooLarge(limit);
    parts.push(bytes);
  }
  return Buffer.concat(parts, size).toString();
}
