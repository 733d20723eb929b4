import type { Dispatcher } from 'undici';

/**
 * Far more bytes than one object may have. Members of teams write the objects that Millrace lists, so without
 * this limit they would decide how much memory a list takes.
 */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export class AnswerTooLarge extends Error {
  constructor(limit: number) {
    super(`the answer of the API server has more than ${limit} bytes`);
    this.name = 'AnswerTooLarge';
  }
}

/**
 * Reads the whole body as text. If the body has more bytes than `limit`, stops reading, closes the connection
 * and throws `AnswerTooLarge`.
 */
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
