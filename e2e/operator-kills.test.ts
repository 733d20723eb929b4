import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { data, pipelineApi, type Build } from '#e2e/support/gateway.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { killLeader, LEASE } from '#e2e/support/leader.ts';
import { RELEASE } from '#tools/chart/install.ts';

const TEAM = teamName('e2e-kills');
const KILLS = 10;
/**
 * The delay between the check request and the kill grows by this much with each kill, so the kills hit
 * checks, decisions and builds.
 */
const DELAY_STEP_MS = 200;

/** Each check returns the number after the latest version, so a lost or repeated check shows. */
const countingPipeline = (interval: string): string => `
resource_type "count" {
  check "shell" {
    cmd = "jq --null-input --arg n $(( $\${version_n:-0} + 1 )) '[{n: $n}]'"
  }
}
resource "count" "up" {
  ${interval}
}
job "unit" {
  get "count" "up" {
    trigger = true
  }
  task "run" {
    run "shell" {
      cmd = "echo takes $GET_UP_N"
    }
  }
}
job "publish" {
  get "count" "up" {
    trigger = true
    passed  = ["unit"]
  }
  task "run" {
    run "shell" {
      cmd = "echo publishes $GET_UP_N"
    }
  }
}
`;

beforeAll(() => createTeam(TEAM), 600_000);
afterAll(() => deleteTeam(TEAM), 600_000);

const api = pipelineApi(TEAM, 'count');
/**
 * Kills the leader and releases its lease, because this test does not measure how long a lease takes to
 * expire.
 */
const killLeaderAndFreeLease = async (): Promise<void> => {
  await killLeader();
  const free = JSON.stringify({ spec: { holderIdentity: '', leaseDurationSeconds: 1 } });
  await kubectl('patch', 'lease', LEASE, '--namespace', RELEASE.namespace, '--type=merge', '--patch', free);
};

/** The builds of a job, each as the version it took, its outcome and its attempt. */
const summariesOf = async (job: string, numbers: ReadonlyMap<number, string>): Promise<string[]> => {
  const builds = await data<Build[]>('GET', `${api.path}/jobs/${job}/builds?limit=100`);
  const buildsWithInputs = await Promise.all(
    builds.map(({ number }) =>
      data<Omit<Build, 'inputs'> & { inputs: { version_id: number }[] }>(
        'GET',
        `${api.path}/jobs/${job}/builds/${number}`,
      ),
    ),
  );
  return buildsWithInputs.map(({ inputs, status, reason, attempt }) => {
    const versionsTaken = inputs.map((input) => numbers.get(input.version_id) ?? 'unknown');
    const outcome = reason === 'Superseded' ? reason : status;
    return `${versionsTaken.join(' ')} ${outcome} at attempt ${attempt}`;
  });
};

const onlyEmbedded = isEmbedded ? describe : describe.skip;

onlyEmbedded(`killing the leading operator ${KILLS} times with kill -9 during checks and builds`, () => {
  test('neither loses nor repeats a version or a build', async () => {
    await createPipeline(TEAM, 'count', countingPipeline('check_interval = "@every 10s"'));
    for (let kill = 0; kill < KILLS; kill += 1) {
      expect((await api.check('count.up')).status).toBe(202);
      await sleep(kill * DELAY_STEP_MS);
      await killLeaderAndFreeLease();
      // A check requested before the kill is not lost, whichever operator leads after it.
      await eventually(async () => expect((await api.versions('count.up')).length).toBeGreaterThan(kill));
    }
    await createPipeline(TEAM, 'count', countingPipeline(''));

    const { versions, unit, publish } = await eventually(async () => {
      const found = await api.versions('count.up');
      const numbers = new Map(found.map(({ id, version }) => [id, version['n'] ?? '']));
      const [unitBuilds, publishBuilds] = [
        await summariesOf('unit', numbers),
        await summariesOf('publish', numbers),
      ];
      const newest = found[0]?.version['n'] ?? 'none';
      expect(unitBuilds).toHaveLength(found.length);
      expect(unitBuilds.filter((build) => !build.includes(' succeeded '))).toEqual([]);
      expect(publishBuilds[0]).toBe(`${newest} succeeded at attempt 1`);
      return { versions: found.map(({ version }) => version['n']), unit: unitBuilds, publish: publishBuilds };
    });

    const count = versions.length;
    expect(count).toBeGreaterThanOrEqual(KILLS);
    const expected = Array.from({ length: count }, (_, index) => String(count - index));
    expect(versions).toEqual(expected);
    expect(unit.toSorted()).toEqual(expected.map((n) => `${n} succeeded at attempt 1`).toSorted());
    expect(new Set(publish).size).toBe(publish.length);
    // A newer build may supersede a queued build of a job with `passed`.
    expect(publish.filter((build) => !/ (?:succeeded|Superseded) at attempt 1$/.test(build))).toEqual([]);
  }, 600_000);
});
