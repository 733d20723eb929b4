import type { Command } from '#domain/pipeline/command.ts';
import type { PlanContainer } from './plan.ts';

/** What an image must provide for those of the commands that run in it. */
export function imageNeeds(
  image: string,
  commands: readonly Command[],
): Pick<PlanContainer, 'withoutShell' | 'runsEntrypoint'> {
  const commandsOfImage = commands.filter(
    (command) => command.runner === 'docker' && command.image === image,
  );
  const needsShell = commandsOfImage.some((command) => 'cmd' in command);
  const runsEntrypoint = commandsOfImage.some((command) => 'entrypoint' in command);
  return { ...(needsShell ? {} : { withoutShell: true }), ...(runsEntrypoint ? { runsEntrypoint } : {}) };
}
