import { createParser } from 'eventsource-parser';

/** One event of a stream (HTML Living Standard, server-sent events). */
export interface StreamEvent {
  name: string;
  data: string;
  /** The last id that the server sent: a stream resumes after it. */
  id: string | undefined;
}

/** Larger than any chunk of a log. */
const MAX_EVENT_CHARACTERS = 8 * 1024 * 1024;
const LIMIT_IN_WORDS = `${MAX_EVENT_CHARACTERS.toLocaleString('en')} characters`;

/** Parses bytes of any chunk size into events. */
export class EventParser {
  /** How long the server asks clients to wait before they reconnect. */
  retryMs: number | undefined;
  #events: StreamEvent[] = [];
  #id: string | undefined;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onId: (id) => (this.#id = id),
    onEvent: ({ event = 'message', data }) => this.#events.push({ name: event, data, id: this.#id }),
    onRetry: (milliseconds) => (this.retryMs = milliseconds),
    onError: (error) => {
      // Unknown fields are ignored, as the standard says.
      if (error.type === 'max-buffer-size-exceeded')
        throw new RangeError(`an event of the stream has more than ${LIMIT_IN_WORDS}`);
    },
  });

  /** Returns the events that these bytes complete. */
  push(bytes: Uint8Array): StreamEvent[] {
    this.#events = [];
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    return this.#events;
  }
}
