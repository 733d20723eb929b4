import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  oneJob,
  teamName,
} from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { condition } from '#e2e/support/kubectl.ts';
import { get, list } from '#e2e/support/read-objects.ts';

const TEAM = teamName('e2e-limits');

beforeAll(() => createTeam(TEAM, { limits: { runningBuilds: 1 } }), 600_000);
afterAll(() => deleteTeam(TEAM), 600_000);

describe('a team that may run one build at a time', () => {
  test('runs its builds in order, and pending builds report what they wait for', async () => {
    await createPipeline(TEAM, 'queue', oneJob('sleep 3'));
    const api = pipelineApi(TEAM, 'queue');
    const numbers: string[] = [];
    for (let index = 0; index < 4; index += 1) numbers.push(created(await api.trigger('work')).number);
    await eventually(async () => {
      const { status, message } = await api.build('work', numbers.at(-1) ?? '');
      expect({ status, message }).toMatchObject({
        status: 'pending',
        message: expect.stringMatching(/^TeamLimit: The team runs 1 build at a time/),
      });
    });
    const times: string[] = [];
    for (const number of numbers) {
      const {
        status,
        started_at: startedAt = '',
        ended_at: endedAt = '',
      } = await buildEnded(TEAM, 'queue', 'work', number);
      expect(status).toBe('succeeded');
      times.push(startedAt, endedAt);
    }
    expect(times).toEqual(times.toSorted());
  }, 600_000);
});

test('a check that returns too many versions reports how many were ignored', async () => {
  const config = `
resource_type "list" {
  check "shell" {
    cmd = "seq 150 | jq --slurp 'map({n: .})'"
  }
}
resource "list" "long" {
  check_interval = "@every 1h"
}
${oneJob('true')}`;
  await createPipeline(TEAM, 'many', config);
  await eventually(async () => {
    expect(condition(await get('pipeline', 'many', '--namespace', TEAM), 'VersionsTruncated')).toMatchObject({
      status: 'True',
      reason: 'TooManyVersions',
      message: 'One check returns at most 100 versions: ignored the oldest 50 versions of list.long.',
    });
  });
  await eventually(async () => {
    const events = await list('events.v1.events.k8s.io', '--namespace', TEAM);
    const reported = events.filter(
      (event) => Object.assign({ reason: '' }, event).reason === 'VersionsTruncated',
    );
    expect(reported).toHaveLength(1);
  });
}, 600_000);
