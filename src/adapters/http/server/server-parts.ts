import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '#adapters/http/auth/authenticate.ts';
import type { BrowserRules } from '#adapters/http/auth/session-cookie.ts';
import type { Problem } from '#adapters/http/protocol/problem.ts';
import type { ObserveRequest } from '#adapters/telemetry/metrics.ts';
import type { AuditStore } from '#flows/people/ports.ts';
import type { PressureLimits } from './pressure.ts';
import type { PublicRateLimits } from './rate-limits.ts';
import type { PageRoute, Route } from './route.ts';
import type { FindCachedImage } from './serve-cached-image.ts';

/** The pages of a server, and how it shows a problem to a browser. */
export interface ServerPages extends PageRoute {
  sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply;
}

export interface ServerParts {
  routes: Route[];
  /** What browsers get at the paths of routes, and the forms that they send. */
  pages?: ServerPages;
  /**
   * Finds images that are served before Fastify sees the request. The response is the same as from their
   * route.
   */
  cachedImages?: FindCachedImage;
  authenticate: Authenticate;
  log: FastifyBaseLogger;
  audit?: Pick<AuditStore, 'record'>;
  /** Rules for the sessions of browsers. Absent: only the `Authorization` header counts. */
  browser?: BrowserRules;
  /** Ranges of the proxies that may name the sender's address, such as `10.1.0.0/16`. */
  trustedProxies?: string[];
  /** Version of the program, for the OpenAPI document. */
  version?: string;
  /** The URL that people open. If it is HTTPS, the gateway tells browsers to use HTTPS only. */
  externalUrl?: string | undefined;
  /** Defaults to `PUBLIC_RATE_LIMITS`. */
  publicRateLimits?: PublicRateLimits;
  /**
   * Limits above which requests are refused, except those of probes. Absent: no request is refused for
   * overload.
   */
  pressure?: PressureLimits;
  /** Once true, each response closes its connection, so that no request is cut off when the process ends. */
  draining?: () => boolean;
  observe?: ObserveRequest;
}
