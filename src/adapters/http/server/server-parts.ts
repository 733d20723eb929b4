import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Authorize } from '#adapters/http/auth/authorize.ts';
import type { StrangerLimits } from '#adapters/http/auth/rate-limits.ts';
import type { BrowserRules } from '#adapters/http/auth/session-cookie.ts';
import type { Problem } from '#adapters/http/protocol/problem.ts';
import type { ObserveRequest } from '#adapters/telemetry/metrics.ts';
import type { AuditStore } from '#flows/people/ports.ts';
import type { PressureLimits } from './pressure.ts';
import type { PageRoute, Route } from './route.ts';
import type { FindAtHand } from './serve-cached-image.ts';

/** The pages of a server, and how a browser is shown a problem. */
export interface Pages extends PageRoute {
  sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply;
}

export interface ServerParts {
  routes: Route[];
  /** What browsers get instead, and the forms that they send. */
  pages?: Pages;
  /** What is answered in front of the routes, as they would. */
  atHand?: FindAtHand;
  authorize: Authorize;
  log: FastifyBaseLogger;
  /** Where it is written down what people did. */
  audit?: Pick<AuditStore, 'record'>;
  /** Sessions of browsers; without it only headers count. */
  browser?: BrowserRules;
  /** Addresses or ranges of proxies whose word about the sender's address is taken. */
  trustedProxies?: string[];
  /** Of the program, for the description of the API. */
  version?: string;
  /** Where people come; whether browsers are bound to HTTPS follows from it. */
  externalUrl?: string | undefined;
  /** How much strangers may read; the usual where it is absent. */
  strangers?: StrangerLimits;
  /** From when on to refuse; without them everything is taken. */
  pressure?: PressureLimits;
  /** From then on each answer also ends its connection, so that none is left to be cut at the end. */
  draining?: () => boolean;
  observe?: ObserveRequest;
}
