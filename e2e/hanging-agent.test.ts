import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isEmbedded, signalContainer } from '#e2e/support/embedded.ts';
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
import { list } from '#e2e/support/read-objects.ts';

const TEAM = teamName('e2e-hang');

beforeAll(() => createTeam(TEAM), 600_000);
afterAll(() => deleteTeam(TEAM), 600_000);

const onlyEmbedded = isEmbedded ? describe : describe.skip;

onlyEmbedded('a cancelled build whose agent hangs', () => {
  test('is ended as cancelled after a minute, and its message says why', async () => {
    await createPipeline(TEAM, 'hanging', oneJob('echo begun; sleep 600'));
    const api = pipelineApi(TEAM, 'hanging');
    const { number } = created(await api.trigger('work'));
    await eventually(async () => expect(await api.log('work', number)).toContain('begun'));
    const [pod] = await list('pods', '--namespace', TEAM, '--selector', 'millrace.dev/kind=build');
    await signalContainer({ namespace: TEAM, pod: pod?.metadata.name ?? '', container: 'agent' }, 'SIGSTOP');
    expect((await api.post(`jobs/work/builds/${number}/cancel`)).status).toBeLessThan(300);

    const why = 'Its agent did not end it within 60 s, and its Pod is gone.';
    expect(await buildEnded(TEAM, 'hanging', 'work', number)).toMatchObject({
      status: 'cancelled',
      reason: 'Cancelled',
      message: expect.stringMatching(new RegExp(`^Cancelled by .+\\. ${why}$`)),
      attempt: 1,
    });
    await eventually(async () => {
      const remaining = await list('pods', '--namespace', TEAM, '--selector', 'millrace.dev/kind=build');
      expect(remaining.map(({ metadata }) => metadata.name)).toEqual([]);
    });
    await eventually(async () => {
      const events = await list('events.v1.events.k8s.io', '--namespace', TEAM);
      const overdue = events.filter(
        (event) => Object.assign({ reason: '' }, event).reason === 'CancelOverdue',
      );
      expect(overdue).toHaveLength(1);
    });
  }, 600_000);
});
