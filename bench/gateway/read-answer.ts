import type { Socket } from 'node:net';

/**
 * Reads HTTP/1.1 answers one after another, but only the status and the length of each. An answer without
 * `Content-Length` must have no body.
 */
export class AnswerReader {
  #waiting: PromiseWithResolvers<number> | undefined;
  #head: Buffer | undefined;
  #status = 0;
  /** Of the body; negative while the head is read. */
  #remainingBytes = -1;

  constructor(socket: Socket) {
    socket.on('data', (chunk) => this.#read(chunk));
    const fail = (): void => this.#waiting?.reject(new Error('The connection was closed.'));
    socket.on('error', fail).on('close', fail);
  }

  /** Resolves with the status once the whole answer has arrived. Rejects if the connection ends before. */
  async next(): Promise<number> {
    this.#waiting = Promise.withResolvers();
    return await this.#waiting.promise;
  }

  #read(chunk: Buffer): void {
    if (this.#remainingBytes < 0) {
      const head = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      this.#head = head;
      if (end < 0) return;
      const text = head.toString('latin1', 0, end);
      this.#status = Number(text.slice(9, 12));
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
      this.#remainingBytes = length - (head.length - end - 4);
      this.#head = undefined;
    } else {
      this.#remainingBytes -= chunk.length;
    }
    if (this.#remainingBytes > 0) return;
    this.#remainingBytes = -1;
    this.#waiting?.resolve(this.#status);
  }
}
