import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { env } from 'node:process';
import { readBytes } from './read-body.ts';

/**
 * Answers a request of git with `git http-backend`, which serves the repositories in a folder. Without a
 * user, that program refuses pushes.
 */
export async function serveGit(
  request: IncomingMessage,
  response: ServerResponse,
  { folder, user }: { folder: string; user: string },
): Promise<void> {
  const body = await readBytes(request);
  const { pathname, search } = new URL(request.url ?? '', 'http://forge');
  const header = (name: string): string => String(request.headers[name] ?? '');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: env['PATH'],
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: header('git-protocol'),
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: header('content-type'),
      CONTENT_LENGTH: String(body.length),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      ...(user !== '' && { REMOTE_USER: user }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // The program may end without having read the whole body.
  child.stdin.on('error', () => {});
  child.stdin.end(body);
  const output = await readBytes(child.stdout);
  const end = output.indexOf('\r\n\r\n');
  const head = output.subarray(0, end).toString().split('\r\n');
  const headers = head
    .map((line) => line.split(': '))
    .map(([name = '', value = '']) => [name, value] as const);
  const status = headers.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? '200';
  const others = Object.fromEntries(headers.filter(([name]) => name !== 'Status'));
  response.writeHead(Number(status), others).end(output.subarray(end + 4));
}
