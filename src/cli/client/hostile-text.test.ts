import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { millrace } from '#testing/cli/command-line.ts';

/* A server passes on texts of people, forges and programs. A terminal must show them as characters only. */
const [ESC, CSI] = ['\u001b', '\u009b'];
const HOSTILE = `${ESC}]52;c;eA==\u0007${ESC}[2J${CSI}6n`;
const BUILD = { number: '1', status: 'failed', message: 'No.', ended_at: '2026-11-22T00:00:00Z', steps: [] };
const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const ANSWERS: Record<string, object | string> = {
  '/definition': { config: `# ${HOSTILE}\n\tjob "a" {}\r\n`, vars: {} },
  '/rename': {
    team: 'main',
    name: 'web',
    ready: false,
    reason: 'SourceUnavailable',
    message: `one ${HOSTILE}\ntwo`,
    warnings: [],
  },
  '/builds/1': BUILD,
  '/waiting': { jobs: [{ name: 'unit', reasons: [{ code: 'Pinned', message: HOSTILE }] }], builds: [] },
  '/git.app': { name: 'git.app', versions: 1, pin_comment: HOSTILE, pinned_by: HOSTILE },
  '/check': { running: false, failures: 1, error: HOSTILE, output: `one ${HOSTILE}\ntwo` },
  '/retry': { number: HOSTILE, url: HOSTILE },
  '/approve': { state: 'approved', message: HOSTILE },
  '/logs': `${ESC}[8mhidden\n`,
  '/events': `${event('log', { step: '0', attempt: 1, text: `${ESC}[8mhidden\n` })}${event('build', BUILD)}${event('end', {})}`,
};

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const [, canned = {}] =
      Object.entries(ANSWERS).find(([end]) => request.url?.endsWith(end) === true) ?? [];
    const [type, text] =
      typeof canned === 'string'
        ? [request.url?.endsWith('/logs') === true ? 'text/plain' : 'text/event-stream', canned]
        : ['application/json', JSON.stringify({ data: canned })];
    response.writeHead(200, { 'content-type': type }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const run = async (line: string, isScreen = true) =>
  await millrace(`millrace ${line} --team main`, {
    environment: { XDG_CONFIG_HOME: tmpdir(), MILLRACE_URL: url, MILLRACE_TOKEN: 'tok_secret' },
    isScreen,
  });

const CASES: Record<string, [line: string, shown: RegExp]> = {
  'the text of a pipeline': ['pipelines get app --config', /^# .*eA==.*\n\tjob "a" \{\}\n$/],
  'the text as JSON': ['pipelines get app --config --output json', /"config": "# .*eA==/],
  'why a pipeline does not run': [
    'pipelines rename app --new-name web',
    /SourceUnavailable: one .*eA==.*\ntwo\n$/,
  ],
  'why a job waits': ['why app/unit', /\nunit +Pinned +.*eA==.*\n$/],
  'a resource and its check': [
    'resources get app/git.app',
    /\ncomment: .*eA==.*\n[^]*\none .*eA==.*\ntwo\n$/,
  ],
  'the number of a retry': ['builds retry app/unit/1', /^app\/unit: build .*eA==.*, .*\n$/],
  'the result of an approval': ['builds approve app/unit/1', /^app\/unit\/1: approved\. .*eA==.*\n$/],
};
test.each(Object.entries(CASES))('%s prints no control sequences to a terminal', async (_, [line, shown]) => {
  const { out } = await run(line);
  expect(out).toMatch(shown);
  expect(out).not.toMatch(/(?![\t\n])\p{Cc}/u);
});

test('a file or pipe gets the text of a pipeline unchanged', async () => {
  const { out } = await run('pipelines get app --config', false);
  expect(out).toBe(`# ${HOSTILE}\n\tjob "a" {}\r\n`);
});

async function onColourScreen(line: string): Promise<string> {
  let screen = '';
  await millrace(`millrace ${line} --team main`, {
    environment: { XDG_CONFIG_HOME: tmpdir(), MILLRACE_URL: url, MILLRACE_TOKEN: 'tok_secret' },
    isScreen: true,
    colour: true,
    out: (text) => void (screen += text.toString()),
    err: (text) => void (screen += text),
  });
  return screen;
}

test('no colour of a log stays on after it', async () => {
  expect(await onColourScreen('builds logs app/unit/1')).toBe(`${ESC}[8mhidden\n${ESC}[0m`);
});

test('no colour of a log hides how its build ended', async () => {
  const screen = await onColourScreen('builds watch app/unit/1');
  const [, after = ''] = screen.split(`${ESC}[8mhidden\n`);
  expect(after).toMatch(new RegExp(`^${ESC}\\[0m[^]*failed`));
});
