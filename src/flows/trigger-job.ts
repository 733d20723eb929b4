import { decideBuilds } from '#domain/scheduling/decide-builds.ts';
import type { Bell, BuildStore, JobName, TriggerAnswer } from './ports.ts';

interface Ports {
  builds: Pick<BuildStore, 'trigger'>;
  bell: Pick<Bell, 'ring'>;
  now: () => Date;
}

/** A person wants a build: it is there when this answers, or the reason of every input that stands against it is. */
export async function triggerJob(job: JobName, by: string, ports: Ports): Promise<TriggerAnswer> {
  const answer = await ports.builds.trigger(job, by, decideBuilds, ports.now());
  if (answer.answer !== 'created') return answer;
  for (const build of answer.interrupted) ports.bell.ring('cancel', build);
  ports.bell.ring('builds', 0);
  return answer;
}
