import type { Drawing, DrawingRefused } from '#flows/views/overview-ports.ts';
import { limitWork } from './limit-work.ts';

/**
 * How many previews may be drawn or wait for the drawing process at a time, in total and for one team. The
 * queue of that process holds more drawings, so previews leave room in it for saved pipelines.
 */
export const MAX_PREVIEWS = 4;
export const MAX_PREVIEWS_OF_TEAM = 1;

type Previews = Pick<Drawing, 'svg'>;

/** Limits the previews of each team and in total. A preview above a limit is refused at once. */
export function limitPreviews(previews: Previews): (team: string) => Previews {
  const slots = limitWork({ perOwner: MAX_PREVIEWS_OF_TEAM, total: MAX_PREVIEWS });
  return (team) => ({
    async svg(picture) {
      const result = await slots.hold(team, () => previews.svg(picture));
      if ('done' in result) return result.done;
      return busy(
        result.full === 'owner'
          ? `another preview of the team ${team} is being drawn`
          : 'too many previews are being drawn at once',
      );
    },
  });
}

const busy = (cause: string): DrawingRefused => ({
  refused: { reason: 'busy', message: `${cause}: try again in a moment` },
});
