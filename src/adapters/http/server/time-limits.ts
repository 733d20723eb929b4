import type { FastifyReply } from 'fastify';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { App } from './route.ts';

/**
 * Answers that must be given in time. One clock for all of them: a timer for each takes as long as all else
 * that is done for a small request.
 */
export interface TimeLimits {
  /** After so long, and up to a second more, the answer is that there is none. */
  watch(reply: FastifyReply, milliseconds: number): void;
  release(reply: FastifyReply): void;
}

const TICK_MS = 1000;
const LATE = 'Something we need does not answer now. Try again in a second.';

export function timeLimits(app: App): TimeLimits {
  /** With the tick at which it is late. */
  const watched = new Map<FastifyReply, number>();
  let tick = 0;
  const look = (): void => {
    tick += 1;
    for (const [reply, due] of watched) {
      const over = isOver(reply);
      if (over || due <= tick) watched.delete(reply);
      if (!over && due <= tick) giveUp(reply);
    }
  };
  const clock = setInterval(look, TICK_MS).unref();
  app.addHook('onClose', async () => clearInterval(clock));
  return {
    watch: (reply, milliseconds) => void watched.set(reply, tick + Math.ceil(milliseconds / TICK_MS) + 1),
    release: (reply) => void watched.delete(reply),
  };
}

/** It was given, a stream has taken it over, or nobody waits for it any more. */
const isOver = (reply: FastifyReply): boolean => reply.sent || reply.raw.destroyed;

function giveUp(reply: FastifyReply): void {
  // Half an answer is better cut off than taken for a whole one.
  if (reply.raw.headersSent) reply.raw.destroy();
  else void reply.send(new Problem('unavailable', LATE));
}
