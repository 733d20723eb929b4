import { Agent, request } from 'undici';

/**
 * Sends JSON to the API of version 1 and returns the body of the response; undefined if it is empty. Throws
 * if the status is 300 or more.
 */
export type Call = <T = unknown>(method: Method, path: string, body?: object) => Promise<T>;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export function caller(address: string, authorization: string, ca?: string): Call {
  const dispatcher = ca === undefined ? undefined : new Agent({ connect: { ca } });
  return async (method, path, body) => {
    const response = await request(`${address}/api/v1${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(dispatcher !== undefined && { dispatcher }),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}
