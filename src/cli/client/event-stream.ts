import { createParser } from 'eventsource-parser';

/** One event of a stream, as the HTML standard parses them. */
export interface StreamEvent {
  name: string;
  data: string;
  /** Of the last event until here that had one: what to go on behind. */
  id: string | undefined;
}

/** Characters. More than any chunk of a log; what goes on without an end is no stream of ours. */
const MAX_EVENT = 8 * 1024 * 1024;

/** Parts bytes of any size into events. */
export class EventParser {
  /** After how long the server wants to be asked again when the stream breaks, in milliseconds. */
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
      // Fields that nobody knows are passed over, as the standard says.
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
