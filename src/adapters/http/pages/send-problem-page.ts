import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrowserRules } from '#adapters/http/auth/session-cookie.ts';
import type { Problem } from '#adapters/http/protocol/problem.ts';
import { mediumOf } from '#adapters/http/server/medium.ts';
import { markFormAnswer } from './form-answer.ts';
import { viewerOf } from './page.ts';
import { problemPage } from './problem-page.ts';
import { HOME, returnPath } from './return-path.ts';

/**
 * Sends a problem as a page. Users who must first sign in or change their password are redirected to the page
 * for that.
 */
export function sendProblemPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { problem, browser }: { problem: Problem; browser: BrowserRules },
): FastifyReply {
  void reply.header('cache-control', 'no-store').serializer(String);
  if (problem.kind === 'unauthenticated') return sendTo(reply, loginPath(request));
  if (problem.kind === 'password-change-required') return sendTo(reply, '/profile/password');
  const { retry_after: wait } = problem.extensions;
  if (typeof wait === 'number') void reply.header('retry-after', String(wait));
  const { title } = problem.document(request.id);
  const viewer = viewerOf(request, browser);
  const { status, message: detail } = problem;
  const page = problemPage({
    status,
    title,
    detail,
    viewer,
    again: retryPath(request, status),
    request: request.id,
  });
  const { text } = mediumOf(request.raw) === 'form' ? markFormAnswer(page) : page;
  return reply.code(status).type('text/html; charset=utf-8').send(text);
}

/** The path to try again, if the request changes nothing and its failure may be temporary. */
function retryPath({ raw, url }: FastifyRequest, status: number): string | undefined {
  return mediumOf(raw) === 'page' && [429, 500, 503].includes(status) ? returnPath(url) : undefined;
}

function sendTo(reply: FastifyReply, path: string): FastifyReply {
  return reply.code(303).header('location', path).type('text/plain; charset=utf-8').send('See other');
}

function loginPath(request: FastifyRequest): string {
  const path = mediumOf(request.raw) === 'page' ? returnPath(request.url) : HOME;
  return path === HOME ? '/auth/login' : `/auth/login?return_to=${encodeURIComponent(path)}`;
}
