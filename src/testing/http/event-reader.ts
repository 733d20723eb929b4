import { request, type IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';

export interface ServerSentEvent {
  name: string;
  id: string | undefined;
  data: string;
}

export interface EventReader {
  status: number;
  headers: IncomingMessage['headers'];
  events: ServerSentEvent[];
  /** The local port of the connection. */
  port: number | undefined;
  /** The first comment of the stream. */
  greeting: string;
  /** The number of keep-alive comments. */
  signs: number;
  /** Resolves once the server or `close` has ended the stream. */
  over: Promise<void>;
  /** Stops reading from the connection. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Reads a stream of server-sent events as its text arrives. */
export async function readEvents(
  url: string,
  headers: Record<string, string>,
  seen: (event: ServerSentEvent) => void = () => undefined,
): Promise<EventReader> {
  const events: ServerSentEvent[] = [];
  const asked = request(url, { headers, agent: false });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.on('response', resolve);
    asked.on('error', reject);
    asked.end();
  });
  const reader = { greeting: '', signs: 0 };
  const parser = createParser({
    onRetry: (milliseconds) => (reader.greeting = `retry: ${milliseconds}`),
    onComment: () => (reader.signs += 1),
    onEvent: ({ event: name = '', id, data }) => {
      const event = { name, id, data };
      events.push(event);
      seen(event);
    },
  });
  answer.setEncoding('utf8');
  answer.on('data', (text: string) => parser.feed(text));
  const over = new Promise<void>((resolve) => {
    answer.on('close', resolve);
    answer.on('error', () => resolve());
  });
  return Object.assign(reader, {
    port: answer.socket.localPort,
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    events,
    over,
    pause: () => void answer.pause(),
    resume: () => void answer.resume(),
    close: () => void answer.destroy(),
  });
}
