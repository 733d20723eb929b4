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
  /** `retry: <milliseconds>`: when the client reconnects. Empty until the stream has sent it. */
  retry: string;
  /** The number of comments, which the server sends as keep-alives. */
  keepAlives: number;
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
  onServerEvent: (event: ServerSentEvent) => void = () => undefined,
): Promise<EventReader> {
  const events: ServerSentEvent[] = [];
  const outgoing = request(url, { headers, agent: false });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
  const reader = { retry: '', keepAlives: 0 };
  const parser = createParser({
    onRetry: (milliseconds) => (reader.retry = `retry: ${milliseconds}`),
    onComment: () => (reader.keepAlives += 1),
    onEvent: ({ event: name = '', id, data }) => {
      const event = { name, id, data };
      events.push(event);
      onServerEvent(event);
    },
  });
  response.setEncoding('utf8');
  response.on('data', (text: string) => parser.feed(text));
  const over = new Promise<void>((resolve) => {
    response.on('close', resolve);
    response.on('error', () => resolve());
  });
  return Object.assign(reader, {
    port: response.socket.localPort,
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    over,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void response.destroy(),
  });
}
