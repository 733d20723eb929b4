import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** The answer of a fake server: `data` in JSON, a plain text, or server-sent events. */
interface FakeAnswer {
  /** For JSON only: a text and server-sent events have the status 200. */
  status?: number;
  data?: unknown;
  /** A problem document, instead of `data`. */
  problem?: object;
  text?: string;
  events?: string;
  hasMore?: boolean;
}

/** Answers a request. `route`: its method and its path with the query, such as `POST /teams`. */
export type Responder = (route: string) => FakeAnswer;

/** A server that answers each request as `responder` says, and records the requests. */
export async function openFakeServer(responder: Responder) {
  const requests: { route: string; body?: unknown }[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const route = `${request.method} ${request.url}`;
    const body = await text(request);
    requests.push({ route, ...(body !== '' && { body: JSON.parse(body) }) });
    send(response, responder(route));
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    requests,
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, answer: FakeAnswer): void {
  const { status = 200, data, problem, hasMore = false } = answer;
  if (answer.text !== undefined) sendText(response, 'text/plain; charset=utf-8', answer.text);
  else if (answer.events !== undefined) sendText(response, 'text/event-stream', answer.events);
  else {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(status === 204 ? '' : JSON.stringify(problem ?? { data, has_more: hasMore }));
  }
}

const sendText = (response: ServerResponse, type: string, body: string): void =>
  void response.writeHead(200, { 'content-type': type }).end(body);
