import type { IncomingHttpHeaders } from 'node:http';
import type { ForgeKind } from './forge-under-test.ts';
import type { ImitatedRepository } from './imitated-repository.ts';

/** What a parameter of a query may be: one of these, any text, or a whole number from 1 to this one. */
type QueryRule = readonly string[] | 'text' | number;

/** A request that its route allows. */
export interface ApiRequest {
  readonly url: URL;
  readonly repository: ImitatedRepository;
  /** What the path has in the place of `{sha}`. */
  readonly sha: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface ApiRoute {
  readonly method: 'GET' | 'POST';
  /** Below the root. `{repository}` is `<owner>/<name>`, in one segment or in two. */
  readonly path: string;
  readonly query: Readonly<Record<string, QueryRule>>;
  /** Parameters without which the answer depends on settings of the forge. */
  readonly needs: readonly string[];
  readonly accepts: readonly string[];
  readonly answer: (request: ApiRequest) => Promise<ApiAnswer>;
}

/** The part of a forge's API that Millrace uses, from its public documents. */
export interface ImitatedApi {
  readonly kind: ForgeKind;
  readonly root: string;
  readonly pageSize: number;
  /** The header with the token, and how it is spelled. */
  readonly tokenHeader: string;
  readonly spelled: (token: string) => string;
  /** Where git finds the commit of a request. */
  readonly requestRef: (number: number) => string;
  readonly routes: readonly ApiRoute[];
}

export const refusal = (status: number, message: string): ApiAnswer => ({ status, body: { message } });

export interface FoundRoute {
  readonly route: ApiRoute;
  readonly path: string;
  readonly sha: string;
}

/** Finds the route of a path below the root, or says what is wrong. */
export function findRoute(api: ImitatedApi, method: string, path: string): FoundRoute | ApiAnswer {
  const found = api.routes.flatMap((route) => {
    const names = matchPath(route.path, path);
    return names === undefined ? [] : [{ route, path: names['repository'] ?? '', sha: names['sha'] ?? '' }];
  });
  const right = found.find(({ route }) => route.method === method);
  if (right !== undefined) return right;
  if (found.length === 0) return refusal(404, `the API has no path ${path}`);
  return refusal(
    405,
    `${path} has no method ${method}, only ${found.map(({ route }) => route.method).join(', ')}`,
  );
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const names: Record<string, string> = {};
  for (const [at, segment] of wanted.entries()) {
    const text = given[at] ?? '';
    if (segment.startsWith('{')) names[segment.slice(1, -1)] = decodeURIComponent(text);
    else if (segment !== text) return undefined;
  }
  const { owner, name, ...others } = names;
  return owner === undefined ? others : { ...others, repository: `${owner}/${name}` };
}

/** What is wrong with a query; undefined if nothing is. */
export function judgeQuery({ query, needs }: ApiRoute, given: URLSearchParams): string | undefined {
  for (const name of new Set(given.keys())) {
    const rule = query[name];
    const values = given.getAll(name);
    if (rule === undefined) return `the query has '${name}', which is not in the API documents`;
    if (values.length > 1) return `the query has '${name}' ${values.length} times`;
    if (!isAllowed(rule, values[0] ?? '')) return `'${name}' cannot be '${values[0]}'`;
  }
  const missing = needs.find((name) => !given.has(name));
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
): ApiAnswer | undefined {
  const { accept = '', 'content-type': type, 'user-agent': agent = '' } = headers;
  if (!accepts.includes(accept)) return refusal(406, `the header Accept cannot be '${accept}'`);
  if (agent === '') return refusal(403, 'there is no header User-Agent');
  const wanted = method === 'POST' ? 'application/json' : undefined;
  return type === wanted ? undefined : refusal(415, `the header Content-Type cannot be '${type}'`);
}

/** One page of a list, with the header Link, which some forges leave out where there is one page. */
export function answerPage(
  { url }: ApiRequest,
  all: readonly unknown[],
  { size: name, alwaysLink = false }: { size: string; alwaysLink?: boolean },
): ApiAnswer {
  const size = Number(url.searchParams.get(name));
  const page = Number(url.searchParams.get('page') ?? '1');
  const last = Math.max(1, Math.ceil(all.length / size));
  const link = (relation: string, to: number): string => {
    const there = new URL(url);
    there.searchParams.set('page', String(to));
    return `<${there.href}>; rel="${relation}"`;
  };
  const back = page > 1 ? [link('prev', page - 1), link('first', 1)] : [];
  const on = page < last ? [link('next', page + 1), link('last', last)] : [];
  const links = [...on, ...back, ...(alwaysLink && back.length === 0 ? [link('first', 1)] : [])];
  return {
    status: 200,
    headers: links.length === 0 ? {} : { link: links.join(', ') },
    body: all.slice((page - 1) * size, page * size),
  };
}
