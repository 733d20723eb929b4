import { createParser } from 'eventsource-parser';

/** One event of a stream (HTML Living Standard, server-sent events). */
export interface StreamEvent {
  name: string;
  data: string;
  /** The newest id so far, for resuming. */
  id: string | undefined;
}

/** In characters; longer than any chunk of a log. */
const MAX_EVENT = 8 * 1024 * 1024;

/** Parses bytes of any chunk size into events. */
export class EventParser {
  /** The server's wish for reconnecting, in milliseconds. */
  retryMs: number | undefined;
  #events: StreamEvent[] = [];
  #id: string | undefined;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT,
    onId: (id) => (this.#id = id),
    onEvent: ({ event = 'message', data }) => this.#events.push({ name: event, data, id: this.#id }),
    onRetry: (milliseconds) => (this.retryMs = milliseconds),
    onError: (error) => {
      // Unknown fields are ignored, as the standard says.
      if (error.type === 'max-buffer-size-exceeded')
        throw new RangeError('an event of the stream does not end');
    },
  });

  push(bytes: Uint8Array): StreamEvent[] {
    this.#events = [];
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    return this.#events;
  }
}
