import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Adds an ETag to a response to a GET that has status 200, a text as payload and no ETag yet. If the client
 * has that content already, changes the status to 304. Returns the payload to send.
 */
export function answerNotModified(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (typeof payload !== 'string' || request.method !== 'GET' || reply.statusCode !== 200) return payload;
  if (reply.hasHeader('etag')) return payload;
  const tag = `"${hash('sha256', payload, 'base64url').slice(0, 27)}"`;
  void reply.header('etag', tag);
  if (!matchesTag(request.headers['if-none-match'], tag)) return payload;
  void reply.code(304).removeHeader('content-length').removeHeader('content-type');
  return null;
}

/**
 * Sets the ETag of a response whose content is not made yet. Returns whether the client has that content
 * already.
 */
export function clientHas(
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  tag: string,
): boolean {
  void reply.header('etag', `"${tag}"`);
  return matchesTag(request.headers['if-none-match'], `"${tag}"`);
}

/** Whether an `If-None-Match` header names the tag, which includes its quotes, or any tag (`*`). */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag) return true;
  return header
    .split(',')
    .some((candidate) => candidate.trim().replace(/^W\//, '') === tag || candidate.trim() === '*');
}
