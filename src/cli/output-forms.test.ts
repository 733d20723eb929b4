import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { millrace } from '#testing/cli/command-line.ts';
import { openFakeServer } from '#testing/cli/fake-server.ts';

/* The forms of the output, with data that contains control characters, which no terminal may get. */
const HOSTILE = '\u001b[2J\u009b6n\u007f';
const PIPELINES = [
  { id: 1, team: 'main', name: 'app', public: false, paused: false, revision: 3, jobs: 2, resources: 1 },
  {
    id: 2,
    team: 'main',
    name: 'web',
    display_name: `The ${HOSTILE}\nweb: "x"`,
    public: true,
    paused: true,
    revision: 1,
    jobs: 1,
    resources: 0,
  },
];

let server: Awaited<ReturnType<typeof openFakeServer>>;
beforeAll(async () => {
  server = await openFakeServer(() => ({ data: PIPELINES }));
});
afterAll(async () => await server.close());

const run = async (form: string, isScreen = false) =>
  await millrace(['millrace', 'pipelines', 'list', ...(form === '' ? [] : ['-o', form])], {
    environment: { XDG_CONFIG_HOME: tmpdir(), MILLRACE_URL: server.url, MILLRACE_TOKEN: 'tok_secret' },
    isScreen,
  });

describe('the output of a list', () => {
  test('is a table with more columns if it is wide', async () => {
    expect((await run('text')).out).toBe((await run('')).out);
    expect((await run('')).out).toMatch(
      /^NAME +JOBS +RESOURCES +REVISION +VISIBLE TO +STATE +DISPLAY NAME\n/,
    );
    expect((await run('wide')).out).toMatch(/ DISPLAY NAME +TEAM +ID\napp .* main +1\nweb .* main +2\n$/);
  });

  test('is a name in each line for shells', async () => {
    expect((await run('name')).out).toBe('pipeline/main/app\npipeline/main/web\n');
  });

  test('contains the unchanged data in the forms for programs', async () => {
    expect(JSON.parse((await run('json')).out)).toEqual(PIPELINES);
    expect(parse((await run('yaml')).out)).toEqual(PIPELINES);
    expect((await run('jsonpath={.items[1].display_name}')).out).toBe(PIPELINES[1]?.display_name);
  });

  test.each(['text', 'wide', 'name', 'json', 'yaml', 'jsonpath={.items[*].display_name}'])(
    'in the form %s sends no control character to a terminal',
    async (form) => {
      const { exit, out } = await run(form, true);
      expect([exit, out]).toEqual([0, expect.not.stringMatching(/(?!\n)\p{Cc}/u)]);
    },
  );
});
