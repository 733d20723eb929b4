import type { Command } from '#domain/pipeline/command.ts';
import type { PlanContainer } from './plan.ts';

/** What an image must provide for the commands that run in it. Commands of other images are ignored. */
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
