import { whyManaged } from '#domain/scheduling/why-managed.ts';
import type {
  ActionDone,
  ActionPorts,
  ActionRefused,
  ActionTransaction,
} from '#flows/builds/action-ports.ts';
import { notifyOfAction } from '#flows/builds/notify-of-action.ts';
import type { JobName, PipelineName } from '#flows/names.ts';

/** Pauses the pipeline and each of its jobs. */
export async function pausePipeline(
  name: PipelineName,
  by: string,
  ports: ActionPorts,
): Promise<ActionDone | ActionRefused> {
  return await changePipeline(name, ports, async (tx) => await tx.pausePipeline(by));
}

/** Unpauses the pipeline and its paused jobs. Versions found during the pause do not trigger builds. */
export async function unpausePipeline(
  name: PipelineName,
  ports: ActionPorts,
): Promise<ActionDone | ActionRefused> {
  return await changePipeline(name, ports, async (tx) => await tx.unpausePipeline());
}

async function changePipeline(
  name: PipelineName,
  ports: ActionPorts,
  write: (tx: ActionTransaction) => Promise<void>,
): Promise<ActionDone | ActionRefused> {
  const answer = await ports.actions.withPipeline(name, async (tx): Promise<ActionDone | ActionRefused> => {
    const reason = whyManaged(await tx.pausedByManifest());
    if (reason !== undefined) return { answer: 'refused', reasons: [reason] };
    await write(tx);
    return { answer: 'done', pipelineId: tx.pipelineId, stopped: [] };
  });
  notifyOfAction(answer, ports);
  return answer;
}

export async function pauseJob(
  name: JobName,
  by: string,
  ports: ActionPorts,
): Promise<ActionDone | ActionRefused> {
  return await changeJob(name, ports, async (tx, job) => await tx.pauseJob(job, by));
}

/** Unpauses the job. Versions found during the pause do not trigger builds. */
export async function unpauseJob(name: JobName, ports: ActionPorts): Promise<ActionDone | ActionRefused> {
  return await changeJob(name, ports, async (tx, job) => await tx.unpauseJob(job));
}

async function changeJob(
  name: JobName,
  ports: ActionPorts,
  write: (tx: ActionTransaction, job: number) => Promise<void>,
): Promise<ActionDone | ActionRefused> {
  const answer = await ports.actions.withPipeline(name, async (tx): Promise<ActionDone | ActionRefused> => {
    const job = await tx.job(name.job);
    if (job === undefined) return { answer: 'unknown' };
    await write(tx, job);
    return { answer: 'done', pipelineId: tx.pipelineId, stopped: [] };
  });
  notifyOfAction(answer, ports);
  return answer;
}
