import type { Command } from '#domain/pipeline/command.ts';
import type { PlanContainer } from './plan.ts';

/** What a container's commands ask of its image. They may run in other containers, too. */
export function imageNeeds(
  image: string,
  commands: readonly Command[],
): Pick<PlanContainer, 'withoutShell' | 'runsEntrypoint'> {
  const here = commands.filter((command) => command.runner === 'docker' && command.image === image);
  const needsShell = here.some((command) => 'cmd' in command);
  const runsEntrypoint = here.some((command) => 'entrypoint' in command);
  return { ...(needsShell ? {} : { withoutShell: true }), ...(runsEntrypoint ? { runsEntrypoint } : {}) };
}
