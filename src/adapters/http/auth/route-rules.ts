import type { AccessLevel, Identity } from '#domain/access/decide-access.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    rules?: RouteRules;
    /**
     * The route handles the form of a page. The API route that it calls checks that one of our pages sent the
     * form.
     */
    form?: boolean;
  }
  interface FastifyRequest {
    /**
     * Set before the handler runs. Undefined on a route that needs nothing, and on a public route if the
     * caller is unknown.
     */
    identity: Identity | undefined;
  }
}

/** Who may call a route, and what is recorded of the call. */
export interface RouteRules {
  needs: AccessLevel;
  /** What the route does, in a sentence: for the reference and for OpenAPI. */
  about: string;
  /**
   * The action that the audit log records after a success. Without `audit`, a route that changes something
   * records the action itself, if it is recorded at all.
   */
  audit?: string;
  /** Whether people who must change their password first may call the route. */
  beforePasswordChange?: boolean;
}
