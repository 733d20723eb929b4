import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { millrace } from '#testing/cli/command-line.ts';
import { openFakeServer } from '#testing/cli/fake-server.ts';
import { isLocal, VERBS } from '#testing/cli/verbs.ts';

/*
 * Runs the examples of the help against a fake server. Leaves out `LEFT_OUT_VERBS`, because most of their
 * examples need a file, a password or another server. e2e/command-line-examples.test.ts runs the examples of
 * all verbs that need a server, against a real gateway.
 */
const LEFT_OUT_VERBS = new Set([
  'diff',
  'login',
  'logout',
  'create',
  'update',
  'set',
  'validate',
  'emit',
  'whoami',
]);
/** Commands that send no request. */
const OFFLINE_COMMANDS = new Set(['contexts', 'open']);
const AT = '2026-11-22T00:00:00.000Z';
const BUILD = { id: 7, number: '7', status: 'succeeded', attempt: 1, created_at: AT, ended_at: AT };
const DETAIL = { ...BUILD, inputs: [], steps: [] };
const RESOURCE = { id: 1, name: 'git.app', type: 'git', versions: 1 };
const VERSION = { id: 42, version: { ref: 'a1' }, created_at: AT, disabled: false };
const CHECK = { running: false, failures: 0, stalled: false, webhook_works: false, output: '' };
const STARTED_BUILD = { job: 'unit', number: '7.1', url: '/teams/main/pipelines/app/jobs/unit/builds/7.1' };
const EVENTS = [`event: build\ndata: ${JSON.stringify(DETAIL)}\n\n`, 'event: end\ndata: {}\n\n'].join('');
const DEBUG_END = 'event: end\ndata: {"reason":"exited","message":"The shell has ended.","exit_code":0}\n\n';

/**
 * Answers to requests whose route matches. The first match counts; without a match, the answer is an empty
 * list.
 */
const ANSWERS: [route: RegExp, answer: object][] = [
  [/\/events$/, { events: EVENTS }],
  [/\/logs(\?timestamps=true)?$/, { text: '' }],
  [/^POST .*\/debug$/, { data: { session: 1, step: '0', step_name: 'unit' } }],
  [/\/debug\/1\/input$/, { data: { accepted: 1, ended: false } }],
  [/\/debug\/1\/output$/, { events: DEBUG_END }],
  [/^GET .*\/builds\/[\d.]+$/, { data: DETAIL }],
  [/\/(retry|jobs\/[a-z]+\/trigger(\?check=true)?)$/, { data: STARTED_BUILD }],
  [/\/(approve|reject)$/, { data: { state: 'approved', message: 'Approved by 1 of 1.' } }],
  [/^GET .*\/jobs\/[a-z]+$/, { data: { name: 'unit', latest_build_number: '7' } }],
  [/^GET .*\/resources$/, { data: [RESOURCE] }],
  [/^GET .*\/git\.app$/, { data: RESOURCE }],
  [/\/versions\?/, { data: [VERSION] }],
  [/^GET .*\/check$/, { data: CHECK }],
  [/\/versions\/42\/trigger$/, { data: { builds: [STARTED_BUILD], refused: [] } }],
  [/^GET .*\/definition$/, { data: { name: 'app', config: '', vars: {}, public: false } }],
  [/\/rename$/, { data: { team: 'main', name: 'shop', ready: true, warnings: [] } }],
  [/^GET .*\/pipelines\/[a-z]+$/, { data: { team: 'main', name: 'app', public: false, jobs: 1 } }],
  [
    /^GET \/teams\/shop$/,
    { data: { name: 'shop', groups: [], members: 1, pipelines: 2, managed_by: 'api' } },
  ],
  [
    /oauth-providers$/,
    { data: [{ canonical: 'forge', type: 'OIDC', scopes: [], enabled: true, managed_by: 'api' }] },
  ],
  [/^GET \/users\/ann$/, { data: { username: 'ann', full_name: 'Ann', teams: {}, created_at: AT } }],
  [
    /^GET \/api-tokens$/,
    {
      data: [
        { id: 1, name: 'deploy', token_prefix: 'tok_x', personal: true, username: 'ann', created_at: AT },
      ],
    },
  ],
  [/\/waiting$/, { data: { jobs: [], builds: [] } }],
  [/^DELETE /, { data: {} }],
  [/^(POST|PUT) /, { data: {} }],
];

let server: Awaited<ReturnType<typeof openFakeServer>>;
beforeAll(async () => {
  server = await openFakeServer(
    (route) => ANSWERS.find(([pattern]) => pattern.test(route))?.[1] ?? { data: [] },
  );
});
afterAll(async () => await server.close());

/** The words of a command line as a shell reads them, without a redirection of the output. */
const wordsOf = (line: string): string[] =>
  line
    .split(' > ')[0]
    ?.match(/(?:'[^']*'|"[^"]*"|[^ '"])+/g)
    ?.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2')) ?? [];

const routes = readFileSync(join(import.meta.dirname, '../../adapters/http/testdata/routes.txt'), 'utf8')
  .split('\n')
  .map((line) => line.split(' → ')[0] ?? '');

/** Whether the gateway has a route for this method and path. */
function isRoute(request: string): boolean {
  const [methodAndPath = ''] = request.split('?');
  const segments = methodAndPath.split('/');
  return routes.some((route) => {
    const parts = route.split('/');
    return (
      parts.length === segments.length &&
      parts.every((part, at) => part.startsWith(':') || part === segments[at])
    );
  });
}

const SERVED = VERBS.filter((verb) => {
  const words = verb.path.split(' ');
  return !isLocal(verb) && !OFFLINE_COMMANDS.has(words[0] ?? '') && !LEFT_OUT_VERBS.has(words.at(-1) ?? '');
}).map(({ path, examples }) => [path, examples] as const);

test.each(SERVED)(
  'each example of `millrace %s --help` calls routes of the gateway',
  async (path, examples) => {
    expect(examples).not.toEqual([]);
    for (const example of examples) {
      expect(example).toMatch(new RegExp(`^millrace ${path} ?`));
      server.requests.length = 0;
      const ran = await millrace(wordsOf(example), {
        environment: { XDG_CONFIG_HOME: tmpdir(), MILLRACE_URL: server.url, MILLRACE_TOKEN: 'tok_secret' },
        ask: async () => 'y',
      });
      expect([example, ran.exit, ran.exit === 0 ? '' : ran.err]).toEqual([example, 0, '']);
      const unknown = server.requests.filter(({ route }) => !isRoute(route));
      expect([example, server.requests.length > 0, unknown]).toEqual([example, true, []]);
    }
  },
);
