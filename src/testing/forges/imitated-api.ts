import type { IncomingHttpHeaders } from 'node:http';
import type { ForgeKind } from './forge-under-test.ts';
import type { ImitatedRepository } from './imitated-repository.ts';

/**
 * What a query parameter may be: a text of the list, any text that is not empty, or a whole number from 1 to
 * this maximum.
 */
type QueryRule = readonly string[] | 'text' | number;

/** A request that its route allows. */
export interface ApiRequest {
  readonly url: URL;
  readonly repository: ImitatedRepository;
  /** The segment of the path that matches `{sha}`; empty if the route has none. */
  readonly sha: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ForgeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface ApiRoute {
  readonly method: 'GET' | 'POST';
  /** The path below the root. `{repository}` is `<owner>/<name>`, in one segment or in two. */
  readonly path: string;
  readonly query: Readonly<Record<string, QueryRule>>;
  /** Parameters that a request must have: without them the answer would depend on settings of the forge. */
  readonly needs: readonly string[];
  /** The allowed values of the header Accept. */
  readonly accepts: readonly string[];
  readonly answer: (request: ApiRequest) => Promise<ForgeAnswer>;
}

/** The part of a forge's API that Millrace uses, from its public documents. */
export interface ImitatedApi {
  readonly kind: ForgeKind;
  readonly root: string;
  readonly pageSize: number;
  /** The name of the header with the token, and its value for a token. */
  readonly tokenHeader: string;
  readonly tokenHeaderValue: (token: string) => string;
  /** The git ref with the commit of a request. */
  readonly requestRef: (number: number) => string;
  readonly routes: readonly ApiRoute[];
}

export const refusal = (status: number, message: string): ForgeAnswer => ({ status, body: { message } });

export interface FoundRoute {
  readonly route: ApiRoute;
  readonly path: string;
  readonly sha: string;
}

/** Finds the route of a path below the root, or says what is wrong. */
export function findRoute(api: ImitatedApi, method: string, path: string): FoundRoute | ForgeAnswer {
  const candidates = api.routes.flatMap((route) => {
    const names = matchPath(route.path, path);
    return names === undefined ? [] : [{ route, path: names['repository'] ?? '', sha: names['sha'] ?? '' }];
  });
  const match = candidates.find(({ route }) => route.method === method);
  if (match !== undefined) return match;
  if (candidates.length === 0) return refusal(404, `the API has no path ${path}`);
  return refusal(
    405,
    `${path} has no method ${method}, only ${candidates.map(({ route }) => route.method).join(', ')}`,
  );
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const patternSegments = pattern.split('/');
  const pathSegments = path.split('/');
  if (patternSegments.length !== pathSegments.length) return undefined;
  const names: Record<string, string> = {};
  for (const [at, segment] of patternSegments.entries()) {
    const text = pathSegments[at] ?? '';
    if (segment.startsWith('{')) names[segment.slice(1, -1)] = decodeURIComponent(text);
    else if (segment !== text) return undefined;
  }
  const { owner, name, ...others } = names;
  return owner === undefined ? others : { ...others, repository: `${owner}/${name}` };
}

/** What is wrong with a query; undefined if nothing is. */
export function judgeQuery({ query, needs }: ApiRoute, parameters: URLSearchParams): string | undefined {
  for (const name of new Set(parameters.keys())) {
    const rule = query[name];
    const values = parameters.getAll(name);
    if (rule === undefined) return `the query has '${name}', which is not in the API documents`;
    if (values.length > 1) return `the query has '${name}' ${values.length} times`;
    if (!isAllowed(rule, values[0] ?? '')) return `'${name}' cannot be '${values[0]}'`;
  }
  const missing = needs.find((name) => !parameters.has(name));
  return missing === undefined ? undefined : `the query lacks '${missing}'`;
}

function isAllowed(rule: QueryRule, value: string): boolean {
  if (rule === 'text') return value !== '';
  if (typeof rule !== 'number') return rule.includes(value);
  const number = Number(value);
  return Number.isInteger(number) && String(number) === value && number >= 1 && number <= rule;
}

/** What is wrong with the headers of a request, except for who sends it; undefined if nothing is. */
export function judgeHeaders(
  { method, accepts }: ApiRoute,
  headers: IncomingHttpHeaders,
): ForgeAnswer | undefined {
  const { accept = '', 'content-type': type, 'user-agent': agent = '' } = headers;
  if (!accepts.includes(accept)) return refusal(406, `the header Accept cannot be '${accept}'`);
  if (agent === '') return refusal(403, 'there is no header User-Agent');
  const expectedType = method === 'POST' ? 'application/json' : undefined;
  return type === expectedType ? undefined : refusal(415, `the header Content-Type cannot be '${type}'`);
}

/**
 * One page of a list, with the header Link. If there is only one page, the header is sent only with
 * `alwaysLink`.
 */
export function answerForgePage(
  { url }: ApiRequest,
  rows: readonly unknown[],
  { size: name, alwaysLink = false }: { size: string; alwaysLink?: boolean },
): ForgeAnswer {
  const size = Number(url.searchParams.get(name));
  const page = Number(url.searchParams.get('page') ?? '1');
  const last = Math.max(1, Math.ceil(rows.length / size));
  const link = (relation: string, to: number): string => {
    const target = new URL(url);
    target.searchParams.set('page', String(to));
    return `<${target.href}>; rel="${relation}"`;
  };
  const backward = page > 1 ? [link('prev', page - 1), link('first', 1)] : [];
  const forward = page < last ? [link('next', page + 1), link('last', last)] : [];
  const links = [...forward, ...backward, ...(alwaysLink && backward.length === 0 ? [link('first', 1)] : [])];
  return {
    status: 200,
    headers: links.length === 0 ? {} : { link: links.join(', ') },
    body: rows.slice((page - 1) * size, page * size),
  };
}
