import type { Drawing, DrawingRefused } from '#flows/views/overview-ports.ts';
import { limitWork } from './limit-work.ts';

/**
 * Previews that are drawn or wait for the drawing process at a time. They are fewer than its queue holds, so
 * pictures of pipelines always find room.
 */
export const MAX_PREVIEWS = 4;
export const MAX_PREVIEWS_OF_TEAM = 1;

type Previews = Pick<Drawing, 'svg'>;

/** Limits the previews of each team. Further ones are refused at once. */
export function limitPreviews(previews: Previews): (team: string) => Previews {
  const places = limitWork({ ofOne: MAX_PREVIEWS_OF_TEAM, ofAll: MAX_PREVIEWS });
  return (team) => ({
    async svg(picture) {
      const drawn = await places.hold(team, () => previews.svg(picture));
      if ('done' in drawn) return drawn.done;
      return busy(
        drawn.full === 'one'
          ? `another preview of the team ${team} is being drawn`
          : 'too many previews are being drawn at once',
      );
    },
  });
}

const busy = (why: string): DrawingRefused => ({
  refused: { reason: 'busy', message: `${why}: try again in a moment` },
});
