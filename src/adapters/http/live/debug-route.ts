import { Type } from 'typebox';
import { DebugParams, nameSession, sessionOf } from '#adapters/http/api/debug.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { BUILD_PATH } from '#adapters/http/api/schemas.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import type { DebugPorts } from '#flows/builds/debug-ports.ts';
import { readDebugOutput } from '#flows/builds/use-debug-session.ts';
import type { Notifications, ReceivedNotification } from '#flows/notification-ports.ts';
import { DebugFeed } from './debug-feed.ts';
import { Events } from './events-schema.ts';
import type { OpenStreams } from './open-streams.ts';

const Cursor = Type.Integer({ minimum: 0, maximum: 2_000_000_000 });

/** The feeds of all open streams of shells. Each stream has exactly one viewer. */
export class DebugFeeds {
  readonly #feeds = new Set<DebugFeed>();
  readonly #listen: Notifications['listen'];
  #stopListening: (() => void) | undefined;

  constructor(listen: Notifications['listen']) {
    this.#listen = listen;
  }

  /** Adds a feed and returns a function that removes it. */
  add(feed: DebugFeed): () => void {
    this.#stopListening ??= this.#listen(['debug-output'], (notification) => this.#refreshFor(notification));
    this.#feeds.add(feed);
    feed.refresh();
    return () => {
      feed.stop();
      this.#feeds.delete(feed);
    };
  }

  refreshAll(): void {
    for (const feed of this.#feeds) feed.refresh();
  }

  stop(): void {
    this.#stopListening?.();
    for (const feed of this.#feeds) feed.stop();
  }

  #refreshFor(notification: ReceivedNotification<'debug-output'>): void {
    for (const feed of this.#feeds)
      if (notification.topic === 'missed' || notification.build === feed.build) feed.refresh();
  }
}

interface DebugRouteParts {
  ports: DebugPorts;
  readonly streams: OpenStreams;
  debug: DebugFeeds;
  readonly failed: (error: unknown) => void;
}

/** The route that streams the output of a shell in a running step. */
export function debugOutput(live: DebugRouteParts): Route {
  return route({
    method: 'GET',
    url: `${BUILD_PATH}/debug/:session/output`,
    needs: 'maintain',
    about:
      'What [your shell](../how-to/debug-a-step.md) prints, as server-sent events: `output` with `data` in ' +
      'base64, and `end` with `reason`, `message` and, if the shell ended by itself, `exit_code`. ' +
      '`Last-Event-ID` or `after`: resume after this output.',
    schema: {
      params: DebugParams,
      querystring: Type.Object({ after: Type.Optional(Cursor) }),
      headers: Type.Object({ 'last-event-id': Type.Optional(Cursor) }),
      response: Events,
    },
    handler: async (request, reply) => {
      const name = sessionOf(request.params, request.identity);
      const after = request.headers['last-event-id'] ?? request.query.after ?? 0;
      const { build } = requireFound(await readDebugOutput(name, after, live.ports), nameSession(name));
      const stream = live.streams.answer('debug', request, reply);
      const read = async (from: number) => await readDebugOutput(name, from, live.ports);
      const feed = new DebugFeed({ stream, read, after, build, failed: live.failed });
      stream.closed = live.debug.add(feed);
    },
  });
}
