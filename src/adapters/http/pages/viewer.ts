import type { FastifyRequest } from 'fastify';
import type { SessionCodec } from '#adapters/http/auth/session-token.ts';
import { roleIn } from '#domain/access/decide-access.ts';
import { roleIncludes, type Role } from '#domain/access/roles.ts';
import type { Viewer } from './layout.ts';
import { viewerOf } from './page.ts';

/** Who views something of a team, and their role there. */
export interface TeamViewer {
  viewer: Viewer | undefined;
  role: Role | undefined;
}

export function teamViewerOf(
  request: FastifyRequest,
  codec: Pick<SessionCodec, 'csrfToken'>,
  team: string,
): TeamViewer {
  const { identity } = request;
  return { viewer: viewerOf(request, codec), role: identity && roleIn(identity, team) };
}

export function may({ viewer, role }: TeamViewer, needed: Role): boolean {
  return viewer !== undefined && roleIncludes(role, needed);
}
