import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  teamName,
  UNTIL_RELEASED,
} from '#e2e/support/fixtures.ts';
import { ADMIN_TOKEN, baseUrl, created, pipelineApi } from '#e2e/support/gateway.ts';
import { millrace, type Ran } from '#testing/cli/command-line.ts';

const TEAM = teamName('e2e-debug');

const config = `
job "wait" {
  task "for-a-person" {
    run "shell" {
      cmd = "echo begun; until ${UNTIL_RELEASED}; do sleep 0.1; done; exit 3"
    }
  }
}
`;

beforeAll(async () => {
  await createTeam(TEAM, { debug: true });
  await createPipeline(TEAM, 'shells', config);
}, 600_000);
afterAll(async () => await deleteTeam(TEAM), 600_000);

const api = pipelineApi(TEAM, 'shells');

async function debug(words: string[], input = ''): Promise<Ran> {
  const environment = {
    XDG_CONFIG_HOME: tmpdir(),
    MILLRACE_URL: await baseUrl(),
    MILLRACE_TOKEN: ADMIN_TOKEN,
  };
  const command = ['millrace', 'debug', 'shells/wait', '--team', TEAM, ...words];
  return await millrace(command, { environment, input });
}

test('a person opens a shell in a running step, which ends as it would without it', async () => {
  const { number } = created(await api.trigger('wait'));
  const inside = await eventually(async () => {
    const ran = await debug([], 'pwd; touch /dev/shm/seen; exit 7\n');
    if (ran.exit === 2) throw new Error(ran.err);
    return ran;
  });
  expect([inside.exit, inside.err]).toEqual([7, '']);
  expect(inside.out).toMatch(/^\/.+\n/);
  const listed = await debug(['--step', 'for-a-person', '--', 'ls', '/dev/shm/seen']);
  expect(listed).toMatchObject({ exit: 0, out: '/dev/shm/seen\n', err: '' });
  // The step may end before the end of this command is known.
  await debug(['--', 'touch', '/dev/shm/go']);
  const build = await buildEnded(TEAM, 'shells', 'wait', number);
  expect(build.steps).toMatchObject([{ status: 'failed', exit_code: 3 }]);
  expect(await api.log('wait', number)).toContain('opens a shell in this step');
  expect(await debug([])).toMatchObject({ exit: 2, err: expect.stringContaining('The build has ended.') });
});
