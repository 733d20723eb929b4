import { runProgram } from './command.ts';
import { eventually } from './eventually.ts';
import { pipelineApi, type Build } from './gateway.ts';
import { apply, condition, kubectl } from './kubectl.ts';
import { get, list } from './read-objects.ts';

/**
 * A name that no run of the last three weeks on this cluster used: it contains the time. Millrace stores
 * history by name, so a new team with an old name would find the old history.
 */
export const teamName = (prefix: string): string => `${prefix}-${Date.now().toString(36).slice(-6)}`;

/** Creates a Team for one test file and waits until it is ready, with its namespace. */
export const createTeam = async (name: string, spec: object = {}): Promise<void> => {
  await apply({ apiVersion: 'millrace.dev/v1alpha1', kind: 'Team', metadata: { name }, spec });
  await eventually(async () => {
    const ready = condition(await get('team', name), 'Ready');
    if (ready.status !== 'True') throw new Error(`team ${name}: ${ready.reason}: ${ready.message}`);
  });
};

export const pipelineManifest = (team: string, name: string, config: string, spec: object = {}): object => ({
  apiVersion: 'millrace.dev/v1alpha1',
  kind: 'Pipeline',
  metadata: { name, namespace: team },
  spec: { config, ...spec },
});

/** Applies a Pipeline and waits until this generation is accepted. */
export const createPipeline = async (
  team: string,
  name: string,
  config: string,
  spec: object = {},
): Promise<void> => {
  await apply(pipelineManifest(team, name, config, spec));
  await eventually(async () => {
    const pipeline = await get('pipeline', name, '--namespace', team);
    const ready = condition(pipeline, 'Ready');
    if (pipeline.status?.observedGeneration !== pipeline.metadata.generation || ready.status !== 'True')
      throw new Error(`pipeline ${team}/${name}: ${ready.reason}: ${ready.message}`);
  });
};

export const deleteTeam = async (name: string): Promise<void> => {
  await kubectl('delete', 'pipelines', '--all', '--namespace', name, '--timeout=9m');
  await kubectl('delete', 'team', name, '--timeout=9m', '--ignore-not-found');
  await kubectl('delete', 'namespace', name, '--wait=false', '--ignore-not-found');
};

const FINAL = new Set(['succeeded', 'failed', 'cancelled', 'warning']);

/** Waits until the build has ended; returns it, whatever its outcome. */
export const buildEnded = (team: string, pipeline: string, job: string, number: string): Promise<Build> =>
  eventually(async () => {
    const build = await pipelineApi(team, pipeline).build(job, number);
    if (!FINAL.has(build.status))
      throw new Error(`${pipeline}/${job} #${number} is ${build.status}: ${JSON.stringify(build)}`);
    return build;
  });

/** The shell condition by which a step waits for `releaseSteps`. */
export const UNTIL_RELEASED = '[ -e /dev/shm/go ]';

/** Releases the steps that wait in the running Pods of builds of a pipeline. */
export const releaseSteps = async (team: string, pipeline: string): Promise<void> => {
  const selector = `millrace.dev/kind=build,millrace.dev/pipeline=${pipeline}`;
  const pods = await list('pods', '--namespace', team, '--selector', selector);
  for (const { metadata, status } of pods) {
    if (status?.phase !== 'Running') continue;
    const touch = ['--container', 'worker', '--', 'touch', '/dev/shm/go'];
    // The Pod may end meanwhile.
    await runProgram('kubectl', ['exec', metadata.name, '--namespace', team, ...touch]);
  }
};

/** The text of a pipeline with one job without inputs. */
export const oneJob = (cmd: string, name = 'work'): string => `
job "${name}" {
  task "run" {
    run "shell" {
      cmd = <<-EOT
        ${cmd.trim().split('\n').join('\n        ')}
      EOT
    }
  }
}
`;
