import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from '#cli/terminal.ts';
import { backOffMs } from '#domain/back-off.ts';
import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import type { DebugInput, TerminalSize } from '#domain/build/debug-session.ts';
import type { Api } from './api.ts';
import { isWorthRetrying } from './stream-build.ts';

/** The pause before a message is sent again because the server had no room for it. */
const FULL_PAUSE_MS = 200;
/** After this many failures in a row, the sender gives up. */
const MAX_ATTEMPTS = 15;

/**
 * Sends the input of a shell in numbered messages, each until the server has it. The messages also say which
 * output has arrived.
 */
export class InputSender {
  /** Rejects when the server stays unreachable or refuses a message. */
  readonly failed: Promise<never>;
  readonly #fail: (error: unknown) => void;
  readonly #api: Pick<Api, 'ask'>;
  readonly #path: string;
  readonly #pause: (milliseconds: number) => Promise<void>;
  #data = Buffer.alloc(0);
  #size: TerminalSize | undefined;
  #isAtEnd = false;
  /** The message that is being sent. It keeps its number until the server has it. */
  #message: (DebugInput & { sequence: number }) | undefined;
  #lastSequence = 0;
  /** The number of the newest output that has arrived, and the number that the server knows. */
  #received = 0;
  #reportedReceived = 0;
  #sending = false;
  #stopped = false;
  #waitingForRoom: (() => void)[] = [];

  constructor(api: Pick<Api, 'ask'>, path: string, { pause }: Pick<Terminal, 'pause'>) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
    this.#api = api;
    this.#path = `${path}/input`;
    this.#pause = pause ?? (async (milliseconds) => await sleep(milliseconds));
  }

  sendData(bytes: Uint8Array): void {
    this.#data = Buffer.concat([this.#data, bytes]);
    this.#wake();
  }

  /** Sends data. Resolves when there is room for more. */
  async sendDataWhenRoom(bytes: Uint8Array): Promise<void> {
    this.sendData(bytes);
    if (this.#data.length < DEBUG_LIMITS.messageBytes) return;
    await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve));
  }

  sendSize(size: TerminalSize): void {
    this.#size = size;
    this.#wake();
  }

  sendEnd(): void {
    this.#isAtEnd = true;
    this.#wake();
  }

  /** Lets the server know that the output up to this number has arrived. */
  confirmOutput(sequence: number): void {
    this.#received = sequence;
    this.#wake();
  }

  stop(): void {
    this.#stopped = true;
  }

  #wake(): void {
    if (this.#sending || this.#stopped) return;
    this.#sending = true;
    this.#sendAll().catch((error: unknown) => this.#fail(error));
  }

  async #sendAll(): Promise<void> {
    let failures = 0;
    while (!this.#stopped) {
      this.#message ??= this.#next();
      if (this.#message === undefined && this.#reportedReceived === this.#received) {
        // Input cannot arrive between the check and this line. Later input starts the sending again.
        this.#sending = false;
        return;
      }
      try {
        if (!(await this.#sendOnce())) await this.#pause(FULL_PAUSE_MS);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures >= MAX_ATTEMPTS || !isWorthRetrying(error)) throw error;
        await this.#pause(backOffMs(failures, { firstMs: 100, longestMs: 5000 }));
      }
    }
  }

  /** Returns false if the server had no room for the message. */
  async #sendOnce(): Promise<boolean> {
    const received = this.#received;
    const message = this.#message;
    const body = { ...message, received };
    const { data } = await this.#api.ask<{ accepted: number; ended: boolean }>('POST', this.#path, body);
    this.#reportedReceived = received;
    if (data.ended) this.#stopped = true;
    if (message === undefined || data.ended) return true;
    if (data.accepted < message.sequence) return false;
    this.#message = undefined;
    return true;
  }

  #next(): (DebugInput & { sequence: number }) | undefined {
    const input = this.#nextInput();
    if (input === undefined) return undefined;
    this.#lastSequence += 1;
    return { ...input, sequence: this.#lastSequence };
  }

  #nextInput(): DebugInput | undefined {
    if (this.#size !== undefined) {
      const size = this.#size;
      this.#size = undefined;
      return size;
    }
    if (this.#data.length > 0) {
      const bytes = this.#data.subarray(0, DEBUG_LIMITS.messageBytes);
      this.#data = this.#data.subarray(bytes.length);
      for (const resolve of this.#waitingForRoom.splice(0)) resolve();
      return { data: bytes.toString('base64') };
    }
    if (!this.#isAtEnd) return undefined;
    this.#isAtEnd = false;
    return { end: true };
  }
}
