import type { ProblemKind } from '#adapters/http/protocol/problem.ts';
import { Misuse } from '#cli/terminal.ts';
import { VERSION } from '#config';
import { visible } from '#domain/graph/measure-label.ts';

/** Which server said it, and where the token came from. */
export interface Asked {
  url: string;
  token: 'of the environment' | 'of a login' | 'none';
}

/** The server said no (RFC 9457); the message has what it said, and what to do. */
export class Refused extends Misuse {
  readonly status: number;
  /** The last word of the problem's type; of no problem's, the empty text. */
  readonly kind: string;
  readonly document: Readonly<Record<string, unknown>>;

  constructor(status: number, document: Readonly<Record<string, unknown>>, asked: Asked) {
    const type = document['type'];
    const kind = typeof type === 'string' ? (/\/problems\/([a-z-]+)$/.exec(type)?.[1] ?? '') : '';
    super(sentences(status, { kind, document }, asked));
    this.status = status;
    this.kind = kind;
    this.document = document;
  }
}

interface Told {
  kind: string;
  document: Readonly<Record<string, unknown>>;
}

function sentences(status: number, { kind, document }: Told, asked: Asked): string {
  const { detail, instance } = document;
  const told = typeof detail === 'string' ? detail : `${asked.url} answered ${status}.`;
  const advice = isKind(kind) ? ADVICE[kind]?.(asked, told) : undefined;
  const request = status >= 500 && typeof instance === 'string' ? ` (${instance})` : '';
  return `${visible(told)}${visible(request)}${advice === undefined ? '' : ` ${advice}`}`;
}

const ADVICE: Partial<Record<ProblemKind, (asked: Asked, told: string) => string>> = {
  unauthenticated: ({ url, token }) =>
    token === 'of the environment'
      ? 'Check MILLRACE_TOKEN: it may be deleted or expired, or belong to another server.'
      : `Log in: run millrace login ${url}`,
  'local-sign-in-off': ({ url }) =>
    `Create an API token in a browser at ${url}/profile, then run millrace login ${url} --token`,
  'password-change-required': ({ url }) =>
    `Change it in a browser at ${url}/profile, or run millrace login ${url}`,
  'sign-in-again': ({ url }) => `Run millrace login ${url}`,
  'not-found': ({ url }, told) =>
    told === 'No such path.'
      ? `${url} may be older than this command line (${VERSION}).`
      : 'Check the name and --team.',
  'already-exists': () => 'To change it, run millrace pipelines update.',
  'managed-by-manifest': () => 'Use millrace validate and kubectl apply.',
};

const isKind = (kind: string): kind is ProblemKind => Object.hasOwn(ADVICE, kind);
