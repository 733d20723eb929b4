import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from '#cli/terminal.ts';
import { backOffMs } from '#domain/back-off.ts';
import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import type { DebugInput, TerminalSize } from '#domain/build/debug-session.ts';
import type { Api } from './api.ts';
import { isPassing } from './stream-build.ts';

/** While the server has no room. */
const FULL_PAUSE_MS = 200;
const MAX_ATTEMPTS = 15;

/** Sends input in order, each with its number, until the server has it. It also says what output has arrived. */
export class SentInput {
  /** Rejects when the server cannot be reached, or refuses. */
  readonly failed: Promise<never>;
  readonly #fail: (error: unknown) => void;
  readonly #api: Pick<Api, 'ask'>;
  readonly #path: string;
  readonly #pause: (milliseconds: number) => Promise<void>;
  #data = Buffer.alloc(0);
  #size: TerminalSize | undefined;
  #isAtEnd = false;
  /** It keeps its number until the server has it. */
  #message: (DebugInput & { sequence: number }) | undefined;
  #last = 0;
  #received = 0;
  #saidReceived = 0;
  #sending = false;
  #stopped = false;
  #waiting: (() => void)[] = [];

  constructor(api: Pick<Api, 'ask'>, path: string, { pause }: Pick<Terminal, 'pause'>) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
    this.#api = api;
    this.#path = `${path}/input`;
    this.#pause = pause ?? (async (milliseconds) => await sleep(milliseconds));
  }

  data(bytes: Uint8Array): void {
    this.#data = Buffer.concat([this.#data, bytes]);
    this.#wake();
  }

  /** Resolves when more may follow. */
  async dataWhenRoom(bytes: Uint8Array): Promise<void> {
    this.data(bytes);
    if (this.#data.length < DEBUG_LIMITS.messageBytes) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  size(size: TerminalSize): void {
    this.#size = size;
    this.#wake();
  }

  end(): void {
    this.#isAtEnd = true;
    this.#wake();
  }

  /** This output has arrived. */
  received(sequence: number): void {
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
    let failed = 0;
    while (!this.#stopped) {
      this.#message ??= this.#next();
      if (this.#message === undefined && this.#saidReceived === this.#received) {
        // In the same step as the look, so that no input is left in between.
        this.#sending = false;
        return;
      }
      try {
        if (!(await this.#sendOnce())) await this.#pause(FULL_PAUSE_MS);
        failed = 0;
      } catch (error) {
        failed += 1;
        if (failed >= MAX_ATTEMPTS || !isPassing(error)) throw error;
        await this.#pause(backOffMs(failed, { firstMs: 100, longestMs: 5000 }));
      }
    }
  }

  /** Returns whether the server took everything. */
  async #sendOnce(): Promise<boolean> {
    const received = this.#received;
    const message = this.#message;
    const body = { ...message, received };
    const { data } = await this.#api.ask<{ accepted: number; ended: boolean }>('POST', this.#path, body);
    this.#saidReceived = received;
    if (data.ended) this.#stopped = true;
    if (message === undefined || data.ended) return true;
    if (data.accepted < message.sequence) return false;
    this.#message = undefined;
    return true;
  }

  #next(): (DebugInput & { sequence: number }) | undefined {
    const input = this.#nextInput();
    if (input === undefined) return undefined;
    this.#last += 1;
    return { ...input, sequence: this.#last };
  }

  #nextInput(): DebugInput | undefined {
    if (this.#size !== undefined) {
      const size = this.#size;
      this.#size = undefined;
      return size;
    }
    if (this.#data.length > 0) {
      const part = this.#data.subarray(0, DEBUG_LIMITS.messageBytes);
      this.#data = this.#data.subarray(part.length);
      for (const resolve of this.#waiting.splice(0)) resolve();
      return { data: part.toString('base64') };
    }
    if (!this.#isAtEnd) return undefined;
    this.#isAtEnd = false;
    return { end: true };
  }
}
