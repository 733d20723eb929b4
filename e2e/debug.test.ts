import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CommandLine } from '#e2e/support/command-line.ts';
import type { Finished } from '#e2e/support/command.ts';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  teamName,
  UNTIL_RELEASED,
} from '#e2e/support/fixtures.ts';
import { ADMIN_TOKEN, created, pipelineApi } from '#e2e/support/gateway.ts';

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

let cli: CommandLine;
beforeAll(async () => {
  cli = await CommandLine.open();
  await createTeam(TEAM, { debug: true });
  await createPipeline(TEAM, 'shells', config);
}, 600_000);
afterAll(async () => {
  await cli.close();
  await deleteTeam(TEAM);
}, 600_000);

const api = pipelineApi(TEAM, 'shells');

async function debug(words: string[], input = ''): Promise<Finished> {
  const environment = { MILLRACE_URL: cli.url, MILLRACE_TOKEN: ADMIN_TOKEN };
  return await cli.millrace(['debug', 'shells/wait', '--team', TEAM, ...words], { environment, input });
}

test('a person opens a shell in a running step, and the step ends as it would without the shell', async () => {
  const { number } = created(await api.trigger('wait'));
  const inside = await eventually(async () => {
    const ran = await debug([], 'pwd; touch /dev/shm/seen; exit 7\n');
    if (ran.code === 2) throw new Error(ran.stderr);
    return ran;
  });
  expect([inside.code, inside.stderr]).toEqual([7, '']);
  expect(inside.stdout).toMatch(/^\/.+\n/);
  const listed = await debug(['--step', 'for-a-person', '--', 'ls', '/dev/shm/seen']);
  expect(listed).toEqual({ code: 0, stdout: '/dev/shm/seen\n', stderr: '' });
  // The step may end before this command reports its own end, so the exit code does not matter.
  await debug(['--', 'touch', '/dev/shm/go']);
  const build = await buildEnded(TEAM, 'shells', 'wait', number);
  expect(build.steps).toMatchObject([{ status: 'failed', exit_code: 3 }]);
  expect(await api.log('wait', number)).toContain('opens a shell in this step');
  expect(await debug([])).toMatchObject({ code: 2, stderr: expect.stringContaining('The build has ended.') });
});
