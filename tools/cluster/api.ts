import { readFileSync } from 'node:fs';
import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getSecure } from 'node:https';
import { apiUrl } from './addresses.ts';
import type { Folders } from './folders.ts';
import { pkiOf } from './pki.ts';

const timeoutMilliseconds = 3000;

export type ApiServerAnswer = { readonly status: number; readonly body: string };

/** Requests a path from the API server as admin; undefined if it refuses connections or is silent for 3 s. */
export function askApi(folders: Folders, path: string): Promise<ApiServerAnswer | undefined> {
  return ask(folders, `${apiUrl}${path}`);
}

/** Like `askApi`, for the URL of any part of the cluster, such as a health endpoint. */
export function ask(folders: Folders, url: string): Promise<ApiServerAnswer | undefined> {
  const { cluster, admin } = pkiOf(folders);
  return new Promise((resolve) => {
    const readResponse = (response: IncomingMessage): void => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', () => resolve(undefined));
    };
    const request = url.startsWith('https:')
      ? getSecure(
          url,
          { timeout: timeoutMilliseconds, agent: false, ...credentials(cluster.certificate, admin) },
          readResponse,
        )
      : getPlain(url, { timeout: timeoutMilliseconds, agent: false }, readResponse);
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}

/** The value at a path in parsed JSON; undefined if there is none. */
export function dig(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (typeof current !== 'object' || current === null) {
      return undefined;
    }
    current = new Map<string, unknown>(Object.entries(current)).get(name);
  }
  return current;
}

/** The condition of this type of the object at `path`; undefined if it has none or cannot be read. */
export async function conditionOf(folders: Folders, path: string, type: string): Promise<unknown> {
  const answer = await askApi(folders, path);
  const conditions =
    answer?.status === 200 ? dig(JSON.parse(answer.body), 'status', 'conditions') : undefined;
  return Array.isArray(conditions)
    ? conditions.find((condition: unknown) => dig(condition, 'type') === type)
    : undefined;
}

function credentials(authority: string, client: { certificate: string; key: string }): object {
  return {
    ca: readFileSync(authority),
    cert: readFileSync(client.certificate),
    key: readFileSync(client.key),
  };
}
