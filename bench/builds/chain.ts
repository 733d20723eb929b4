import { setTimeout as sleep } from 'node:timers/promises';
import { createPipeline } from '#e2e/support/fixtures.ts';
import { pipelineApi, request, type Build } from '#e2e/support/gateway.ts';
import { watchPods, type PodEvent } from './cluster-client.ts';

/** Two jobs in a chain, and a resource whose every check finds a new version. */
const CONFIG = `
resource_type "stamp" {
  check "shell" {
    cmd = "printf '[{\\"at\\":\\"%s\\"}]' \\"$(date +%s%N)\\""
  }
}
resource "stamp" "now" {
  check_interval = "@yearly"
}
job "up" {
  get "stamp" "now" {
    trigger = true
  }
  task "work" {
    run "exec" {
      path = "true"
    }
  }
}
job "down" {
  get "stamp" "now" {
    trigger = true
    passed  = ["up"]
  }
  task "work" {
    run "exec" {
      path = "true"
    }
  }
}
`;

/**
 * Milliseconds. Times of versions and builds are those that the API returns. The time of a Pod object is when
 * a watch of this process showed it. They can be compared only if Millrace runs on this machine.
 */
export interface ChainRun {
  /** From recording a version to the Pod object of the build that it triggers. */
  versionToPod: number;
  /** From the end of the upstream build to the creation of the downstream build. */
  endToBuild: number;
  /** From the end of the upstream build to the Pod object of the downstream build. */
  endToPod: number;
}

export const measureChain = async (team: string, rounds: number): Promise<ChainRun[]> => {
  await createPipeline(team, 'chain', CONFIG);
  const api = pipelineApi(team, 'chain');
  const { webhook_token: token } = await api.resource('stamp.now');
  const pods: PodEvent[] = [];
  const stop = await watchPods(team, (event) => pods.push(event));
  const podAddedAt = async (job: string, number: string): Promise<number> => {
    for (;;) {
      const added = pods.find(
        ({ type, labels }) =>
          type === 'ADDED' && labels['millrace.dev/job'] === job && labels['millrace.dev/build'] === number,
      );
      if (added !== undefined) return performance.timeOrigin + added.at;
      await sleep(2);
    }
  };
  const runs: ChainRun[] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = (await api.builds('down'))[0]?.number;
    await request('POST', `/webhooks/${token}`);
    const down = await nextEndedBuild(api, before);
    const [up] = await api.builds('up');
    const [version] = await api.versions('stamp.now');
    if (up?.ended_at === undefined || version === undefined) throw new Error('chain/up has not ended');
    const ended = Date.parse(up.ended_at);
    const run = {
      versionToPod: (await podAddedAt('up', up.number)) - Date.parse(version.created_at),
      endToBuild: Date.parse(down.created_at) - ended,
      endToPod: (await podAddedAt('down', down.number)) - ended,
    };
    // The first round fills caches, opens connections and pulls images.
    if (round > 0) runs.push(run);
    await sleep(1000);
  }
  stop();
  return runs;
};

async function nextEndedBuild(
  api: ReturnType<typeof pipelineApi>,
  previous: string | undefined,
): Promise<Build> {
  for (;;) {
    const [last] = await api.builds('down');
    if (last !== undefined && last.number !== previous && last.ended_at !== undefined) return last;
    await sleep(50);
  }
}
