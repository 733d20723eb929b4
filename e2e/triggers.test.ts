import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';

const TEAM = teamName('e2e-trigger');
const NON_MEMBERS = teamName('e2e-others');

const GIVER = `
resource "trigger" "released" {}

job "release" {
  task "compute" {
    run "shell" {
      cmd = "echo tag=v1.$BUILD_NUMBER >> $SVC_OUTPUT"
    }
  }
  put "trigger" "released" {
    params {
      tag  = "$TASK_COMPUTE_TAG"
      note = "with a space"
    }
  }
}
`;
const TAKER = `
resource "trigger" "released" {}

job "deploy" {
  get "trigger" "released" {
    trigger = true
  }
  task "show" {
    run "shell" {
      cmd = "echo \\"takes $version_tag, $version_note, of $version_trigger_pipeline $version_trigger_job $version_trigger_build\\""
    }
  }
  task "export" {
    run "shell" {
      cmd = "echo \\"also $GET_RELEASED_TAG of $GET_RELEASED_TRIGGER_JOB\\""
    }
  }
}
`;

beforeAll(async () => {
  await Promise.all([createTeam(TEAM), createTeam(NON_MEMBERS)]);
  await createPipeline(TEAM, 'giver', GIVER);
  await createPipeline(TEAM, 'taker', TAKER);
  await createPipeline(NON_MEMBERS, 'taker', TAKER);
}, 600_000);
afterAll(async () => {
  await Promise.all([deleteTeam(TEAM), deleteTeam(NON_MEMBERS)]);
}, 600_000);

const version = (number: string): Record<string, string> => ({
  tag: `v1.${number}`,
  note: 'with a space',
  trigger_pipeline: 'giver',
  trigger_job: 'release',
  trigger_build: number,
});

test('a put to a trigger starts a build with that version in another pipeline of the team', async () => {
  const [giver, taker] = [pipelineApi(TEAM, 'giver'), pipelineApi(TEAM, 'taker')];
  for (const round of ['1', '2']) {
    const { number } = created(await giver.trigger('release'));
    expect(number).toBe(round);
    expect(await buildEnded(TEAM, 'giver', 'release', number)).toMatchObject({ status: 'succeeded' });
    await eventually(async () => {
      const versions = await taker.versions('trigger.released');
      expect(versions).toHaveLength(Number(round));
      expect(versions[0]).toMatchObject({ version: version(round) });
      expect(await taker.builds('deploy')).toHaveLength(Number(round));
    });
    expect(await buildEnded(TEAM, 'taker', 'deploy', round)).toMatchObject({ status: 'succeeded' });
    const log = await taker.log('deploy', round);
    expect(log).toContain(`takes v1.${round}, with a space, of giver release ${round}`);
    expect(log).toContain(`also v1.${round} of release`);
  }
  expect(await giver.versions('trigger.released')).toMatchObject([
    { version: version('2') },
    { version: version('1') },
  ]);
}, 600_000);

test('a put to a trigger does not reach other teams', async () => {
  const nonMembers = pipelineApi(NON_MEMBERS, 'taker');
  expect(await nonMembers.versions('trigger.released')).toEqual([]);
  expect(await nonMembers.builds('deploy')).toEqual([]);
});
