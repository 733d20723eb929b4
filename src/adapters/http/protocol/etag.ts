import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Tags every complete answer to a GET by its content, where it has no tag yet, and answers 304 to whoever has
 * that content.
 */
export function notModified(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (typeof payload !== 'string' || request.method !== 'GET' || reply.statusCode !== 200) return payload;
  if (reply.hasHeader('etag')) return payload;
  const tag = `"${hash('sha256', payload, 'base64url').slice(0, 27)}"`;
  void reply.header('etag', tag);
  if (!hasTag(request.headers['if-none-match'], tag)) return payload;
  void reply.code(304).removeHeader('content-length').removeHeader('content-type');
  return null;
}

/** Sets the tag of an answer that is not made yet; true if it need not be. */
export function hasAlready(
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  tag: string,
): boolean {
  void reply.header('etag', `"${tag}"`);
  return hasTag(request.headers['if-none-match'], `"${tag}"`);
}

/** Of an `If-None-Match`; the tag with its quotes. */
export function hasTag(known: string | undefined, tag: string): boolean {
  if (known === undefined) return false;
  if (known === tag) return true;
  return known.split(',').some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*');
}
