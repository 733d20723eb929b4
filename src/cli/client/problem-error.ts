import type { ProblemKind } from '#adapters/http/protocol/problem.ts';
import { CommandError } from '#cli/terminal.ts';
import { VERSION } from '#config';
import { replaceInvisible } from '#domain/graph/measure-label.ts';

/** What error messages name: the server, and where the token of the request came from. */
export interface RequestContext {
  url: string;
  tokenOrigin: 'of the environment' | 'of a login' | 'none';
}

/**
 * The server answered with an error status, usually with a problem document (RFC 9457). The message has the
 * detail of the problem and, for the kinds in `ADVICE`, what to do.
 */
export class ProblemError extends CommandError {
  readonly status: number;
  /** Last segment of the problem's type; empty if the response is not a problem document. */
  readonly kind: string;
  readonly document: Readonly<Record<string, unknown>>;

  constructor(status: number, document: Readonly<Record<string, unknown>>, request: RequestContext) {
    const type = document['type'];
    const kind = typeof type === 'string' ? (/\/problems\/([a-z-]+)$/.exec(type)?.[1] ?? '') : '';
    super(messageOf(status, { kind, document }, request));
    this.status = status;
    this.kind = kind;
    this.document = document;
  }
}

interface Problem {
  kind: string;
  document: Readonly<Record<string, unknown>>;
}

function messageOf(status: number, { kind, document }: Problem, request: RequestContext): string {
  const { detail, instance } = document;
  const detailText = typeof detail === 'string' ? detail : withoutDetail(status, request);
  const advice = isKind(kind) ? ADVICE[kind]?.(request, detailText) : undefined;
  const requestId = status >= 500 ? requestIdIn(instance, detailText) : '';
  return `${replaceInvisible(detailText)}${replaceInvisible(requestId)}${advice === undefined ? '' : ` ${advice}`}`;
}

/** Shown in brackets, unless the detail contains it. */
function requestIdIn(instance: unknown, detailText: string): string {
  if (typeof instance !== 'string') return '';
  return detailText.includes(instance.replace(/^urn:request:/, '')) ? '' : ` (${instance})`;
}

/** Most answers without a problem document come from a proxy. */
function withoutDetail(status: number, { url }: RequestContext): string {
  return `${url} answered ${status} without a message of Millrace. ${adviceWithoutDetail(status)}`;
}

function adviceWithoutDetail(status: number): string {
  if (status === 404 || status === 405) return 'Check the address.';
  if (status === 429) return 'A proxy limits your requests: try again in a minute.';
  return status < 500
    ? 'A proxy may have refused the request: ask whoever runs it.'
    : 'A proxy may not reach the gateway: try again in a minute.';
}

type Advise = (request: RequestContext, detailText: string) => string | undefined;

/**
 * What to do about a problem. The detail of a problem begins with its subject: `Pipeline app exists already.`
 */
const ADVICE: Partial<Record<ProblemKind, Advise>> = {
  unauthenticated: ({ url, tokenOrigin }) =>
    tokenOrigin === 'of the environment'
      ? 'Check MILLRACE_TOKEN: it may be deleted or expired, or belong to another server.'
      : `Log in: run millrace login ${url}`,
  'local-sign-in-off': ({ url }) =>
    `Create an API token in a browser at ${url}/profile, then run millrace login ${url} --token`,
  'password-change-required': ({ url }) =>
    `Change it in a browser at ${url}/profile, or run millrace login ${url}`,
  'sign-in-again': ({ url }) => `Run millrace login ${url}`,
  'not-found': ({ url }, detailText) => {
    if (detailText.startsWith('No such path.'))
      return `${url} may be older than this command line (${VERSION}).`;
    return detailText.startsWith('User ') ? 'Check the name.' : 'Check the name and --team.';
  },
  'already-exists': (_request, detailText) =>
    detailText.startsWith('Pipeline ') ? 'To change it, run millrace pipelines update.' : undefined,
  'managed-by-manifest': (_request, detailText) =>
    detailText.startsWith('Pipeline ') ? 'Use millrace validate and kubectl apply.' : undefined,
};

const isKind = (kind: string): kind is ProblemKind => Object.hasOwn(ADVICE, kind);
