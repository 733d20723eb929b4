import type { FastifyReply } from 'fastify';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { App } from './route.ts';

/**
 * Time limits of responses. One clock serves all responses, because a timer for each would cost as much as
 * the rest of a small request.
 */
export interface TimeLimits {
  /**
   * Sends a problem after this time, or up to a second later, unless the reply is released before. If the
   * response has begun, cuts it off instead.
   */
  watch(reply: FastifyReply, milliseconds: number): void;
  release(reply: FastifyReply): void;
}

const TICK_MS = 1000;
const TIMEOUT_DETAIL = 'A service that Millrace needs does not respond. Try again in a second.';

export function timeLimits(app: App): TimeLimits {
  /** The replies, each with the tick at which its time is over. */
  const watched = new Map<FastifyReply, number>();
  let tick = 0;
  const checkReplies = (): void => {
    tick += 1;
    for (const [reply, dueTick] of watched) {
      const isEnded = isReplyEnded(reply);
      if (isEnded || dueTick <= tick) watched.delete(reply);
      if (!isEnded && dueTick <= tick) giveUp(reply);
    }
  };
  const clock = setInterval(checkReplies, TICK_MS).unref();
  app.addHook('onClose', async () => clearInterval(clock));
  return {
    watch: (reply, milliseconds) => void watched.set(reply, tick + Math.ceil(milliseconds / TICK_MS) + 1),
    release: (reply) => void watched.delete(reply),
  };
}

/** Whether the reply was sent, a stream took it over, or the client has disconnected. */
const isReplyEnded = (reply: FastifyReply): boolean => reply.sent || reply.raw.destroyed;

function giveUp(reply: FastifyReply): void {
  // The connection is cut, so that the client does not take the response for a complete one.
  if (reply.raw.headersSent) reply.raw.destroy();
  else void reply.send(new Problem('unavailable', TIMEOUT_DETAIL));
}
