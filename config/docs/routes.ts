import { format } from 'prettier';
import { publicRoutes } from '#adapters/http/routes/table.ts';
import type { Route } from '#adapters/http/access/route.ts';
import { inMemoryApi } from '#testing/public-api.ts';

export const API_PAGE = 'docs/reference/api.md';

/** What each route does, in a sentence. A test holds these to the routes that there are. */
export const ABOUT: Record<string, string> = {
  'GET /health': 'Whether this replica can answer: 200, or 503 when it cannot reach the database.',
  'POST /webhooks/:token':
    'Asks for a check of the resource that the token belongs to. The body is read (at most 1 MiB) and ignored. Answers 202 once the request is stored.',
  'GET /teams/:team/pipelines': 'The pipelines of a team.',
  'GET /teams/:team/pipelines/:pipeline': 'One pipeline.',
  'GET /teams/:team/pipelines/:pipeline/jobs':
    'Its jobs in the order of the file, each with its latest build.',
  'GET /teams/:team/pipelines/:pipeline/jobs/:job': 'One job.',
  'POST /teams/:team/pipelines/:pipeline/jobs/:job/trigger':
    'Starts a build with the newest versions that fit: 201 and its number, or 409 with the reason for each input that lacks one. The body is ignored.',
  'GET /teams/:team/pipelines/:pipeline/jobs/:job/builds':
    'Builds, newest first, in pages; `status` keeps those in one status.',
  'GET /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build': 'One build with its inputs and steps.',
  'GET /teams/:team/pipelines/:pipeline/jobs/:job/builds/:build/logs':
    'The log as plain text, or with `Accept: application/json` numbered chunks; `after` goes on behind a chunk.',
  'GET /teams/:team/pipelines/:pipeline/resources':
    'The resources; `webhook_token` is shown from the role maintain on.',
  'GET /teams/:team/pipelines/:pipeline/resources/:resource':
    'One resource, named `<type>.<name>`, for example `git.app`.',
  'GET /teams/:team/pipelines/:pipeline/resources/:resource/versions':
    'Its versions, newest first, in pages.',
  'GET /teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/path':
    'Where a version went: the jobs that take it, those behind them and those that take what they put, nearest first, each with its newest build and the retries of that.',
  'GET /teams/:team/pipelines/:pipeline/resources/:resource/check':
    'Its last check: when, how it failed, how often in a row, and what it said (the last 64 KiB, secrets masked).',
  'GET /teams/:team/pipelines/:pipeline/waiting':
    'Why each job gets no build and each pending build does not start: [codes](waiting.md) and sentences. A job that is about to be built has no reason.',
  'GET /teams/:team/pipelines/:pipeline/jobs/:job/waiting': 'The same for one job.',
  'POST /teams/:team/pipelines/:pipeline/resources/:resource/check':
    'Asks for a check now: 202. Requests that arrive while one runs become one more check.',
};

/** The public routes as the server has them. */
export function routes(): Route[] {
  return publicRoutes(inMemoryApi(), async () => undefined, '0.0.0');
}

export function nameOf({ method, url }: Route): string {
  return `${method} ${url}`;
}

const OPEN = '<!-- routes: made by `node config/docs/main.ts` -->';
const CLOSE = '<!-- end of routes -->';

/** The page with its table of routes made anew. */
export function withRoutes(page: string): Promise<string> {
  const [before, rest] = page.split(OPEN);
  const after = rest?.split(CLOSE)[1];
  if (before === undefined || after === undefined) throw new Error(`${API_PAGE} has no place for the routes`);
  const rows = routes().map(
    (one) =>
      `| \`${one.method}\` | \`${one.url.replaceAll(/:(\w+)/g, '{$1}')}\` | ${one.needs === 'nothing' ? 'none' : one.needs} | ${ABOUT[nameOf(one)] ?? ''} |`,
  );
  const table = ['| Method | Path | Role | What it does |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return format(`${before}${OPEN}\n\n${table}\n\n${CLOSE}${after}`, {
    parser: 'markdown',
    singleQuote: true,
    printWidth: 110,
  });
}
