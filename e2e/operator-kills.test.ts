import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { data, pipelineApi, RELEASE, type Build } from '#e2e/support/gateway.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { killLeader, LEASE } from '#e2e/support/leader.ts';

const TEAM = teamName('e2e-kills');
const KILLS = 10;
/**
 * A kill comes this much later after the check was asked for than the one before: it meets checks, decisions
 * and builds alike.
 */
const STEP_MS = 200;

/**
 * Each check finds the number behind the last known one, so that a check which counts twice, or is lost,
 * shows.
 */
const counting = (interval: string): string => `
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
/** The dead one's lease is taken from it: that others wait for its end is not what is tried here. */
const killLeaderAndFreeLease = async (): Promise<void> => {
  await killLeader();
  const free = JSON.stringify({ spec: { holderIdentity: '', leaseDurationSeconds: 1 } });
  await kubectl('patch', 'lease', LEASE, '--namespace', RELEASE.namespace, '--type=merge', '--patch', free);
};

/** Builds of a job as the numbers that they took, with how they ended. */
const taken = async (job: string, numbers: ReadonlyMap<number, string>): Promise<string[]> => {
  const builds = await data<Build[]>('GET', `${api.at}/jobs/${job}/builds?limit=100`);
  const whole = await Promise.all(
    builds.map(({ number }) =>
      data<Build & { inputs: { version_id: number }[] }>('GET', `${api.at}/jobs/${job}/builds/${number}`),
    ),
  );
  return whole.map(({ inputs, status, reason, attempt }) => {
    const took = inputs.map((input) => numbers.get(input.version_id) ?? 'unknown');
    const how = reason === 'Superseded' ? reason : status;
    return `${took.join(' ')} ${how} at attempt ${attempt}`;
  });
};

const onlyEmbedded = isEmbedded ? describe : describe.skip;

onlyEmbedded(`${KILLS} times kill -9 of the leading operator while checks and builds go on`, () => {
  test('loses no version and no build, and doubles none', async () => {
    await createPipeline(TEAM, 'count', counting('check_interval = "@every 10s"'));
    for (let kill = 0; kill < KILLS; kill += 1) {
      expect((await api.check('count.up')).status).toBe(202);
      await sleep(kill * STEP_MS);
      await killLeaderAndFreeLease();
      // What was asked for before the kill is found after it, by whoever leads then.
      await eventually(async () => expect((await api.versions('count.up')).length).toBeGreaterThan(kill));
    }
    await createPipeline(TEAM, 'count', counting(''));

    const { versions, unit, publish } = await eventually(async () => {
      const found = await api.versions('count.up');
      const numbers = new Map(found.map(({ id, version }) => [id, version['n'] ?? '']));
      const [unitBuilds, publishBuilds] = [await taken('unit', numbers), await taken('publish', numbers)];
      const newest = found[0]?.version['n'] ?? 'none';
      expect(unitBuilds).toHaveLength(found.length);
      expect(unitBuilds.filter((build) => !build.includes(' succeeded '))).toEqual([]);
      expect(publishBuilds[0]).toBe(`${newest} succeeded at attempt 1`);
      return { versions: found.map(({ version }) => version['n']), unit: unitBuilds, publish: publishBuilds };
    });

    const count = versions.length;
    expect(count).toBeGreaterThanOrEqual(KILLS);
    const all = Array.from({ length: count }, (_, index) => String(count - index));
    expect(versions).toEqual(all);
    expect(unit.toSorted()).toEqual(all.map((n) => `${n} succeeded at attempt 1`).toSorted());
    expect(new Set(publish).size).toBe(publish.length);
    // A queued build of the gated job gives way to a newer one.
    expect(publish.filter((build) => !/ (?:succeeded|Superseded) at attempt 1$/.test(build))).toEqual([]);
  }, 600_000);
});
