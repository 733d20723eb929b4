import { Type } from 'typebox';
import { nameBuild, refOf } from '#adapters/http/api/builds.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { BUILD_PATH, BuildParams, PipelineParams } from '#adapters/http/api/schemas.ts';
import { isNonMember, requireVisible } from '#adapters/http/auth/public-access.ts';
import { route, type App, type Route } from '#adapters/http/server/route.ts';
import type { StreamMetrics } from '#adapters/telemetry/stream-metrics.ts';
import { BuildFeed } from './build-feed.ts';
import { DebugFeeds, debugOutput } from './debug-route.ts';
import { Events } from './events-schema.ts';
import { Feeds } from './feeds.ts';
import { OpenStreams, STREAM_LIMITS, type StreamLimits } from './open-streams.ts';
import { OverviewFeed } from './overview-feed.ts';
import { overviewEvents } from './overview-route.ts';
import { PipelineFeed } from './pipeline-feed.ts';
import { stateForMembers, stateForPublic } from './pipeline-states.ts';

const Cursor = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const StateId = Type.String({ maxLength: 100 });

/** Limits and metrics of the streams. */
export interface StreamOptions {
  limits?: StreamLimits;
  metrics?: StreamMetrics;
}

/** The routes that stream builds, pipelines, overviews and shells as server-sent events. */
export function eventRoutes(ports: PipelinePorts, options: StreamOptions = {}): Route[] {
  const live = new LiveFeeds(ports, options);
  return [buildEvents(live), pipelineEvents(live), overviewEvents(live), debugOutput(live)].map(
    (eventRoute) => ({
      ...eventRoute,
      register(app) {
        live.serve(app);
        eventRoute.register(app);
      },
    }),
  );
}

/** The feeds of one server, and the open streams that they write to. */
class LiveFeeds {
  readonly ports: PipelinePorts;
  readonly builds: Feeds<number>;
  readonly pipelines: Feeds<string | undefined>;
  readonly overview: OverviewFeed;
  readonly debug: DebugFeeds;
  readonly #options: StreamOptions;
  #streams: OpenStreams | undefined;
  failed: (error: unknown) => void = () => undefined;

  constructor(ports: PipelinePorts, options: StreamOptions) {
    this.ports = ports;
    this.#options = options;
    this.builds = new Feeds((topics, listener) => ports.notifications.listen(topics, listener));
    this.pipelines = new Feeds((topics, listener) => ports.notifications.listen(topics, listener));
    this.debug = new DebugFeeds((topics, listener) => ports.notifications.listen(topics, listener));
    this.overview = new OverviewFeed({
      cards: ports.cards,
      listen: (topics, listener) => ports.notifications.listen(topics, listener),
      failed: (error) => this.failed(error),
    });
  }

  get streams(): OpenStreams {
    if (this.#streams === undefined) throw new Error('The routes of streams are not registered.');
    return this.#streams;
  }

  /** Creates `OpenStreams`, and ends all streams when the server closes. Later calls have no effect. */
  serve(app: App): void {
    if (this.#streams !== undefined) return;
    this.failed = (err) => app.log.warn({ err }, 'an event stream could not be read');
    this.#streams = new OpenStreams({
      limits: this.#options.limits ?? STREAM_LIMITS,
      metrics: this.#options.metrics,
      checkRights: () => app.checkRights(),
      // Notifications can be lost, so the feeds read again after each round of checks.
      onChecked: () => {
        this.builds.refreshAll();
        this.pipelines.refreshAll();
        this.overview.refresh();
        this.debug.refreshAll();
      },
    });
    app.addHook('preClose', async () => {
      this.streams.close();
      this.builds.stop();
      this.pipelines.stop();
      this.overview.stop();
      this.debug.stop();
    });
  }
}

function buildEvents(live: LiveFeeds): Route {
  const { views } = live.ports;
  return route({
    method: 'GET',
    url: `${BUILD_PATH}/events`,
    needs: 'read',
    about:
      'The build as [server-sent events](../how-to/follow-live.md): `build` with its state, `log` with ' +
      'each chunk, `end` when nothing more will come. `Last-Event-ID` or `after`: resume after this ' +
      'chunk.',
    schema: {
      params: BuildParams,
      querystring: Type.Object({ after: Type.Optional(Cursor) }),
      headers: Type.Object({ 'last-event-id': Type.Optional(Cursor) }),
      response: Events,
    },
    handler: async (request, reply) => {
      const ref = refOf(request.params);
      const ids = requireFound(await views.buildIds(ref), nameBuild(ref));
      const after = request.headers['last-event-id'] ?? request.query.after ?? 0;
      const stream = live.streams.answer('build', request, reply);
      const makeFeed = () => new BuildFeed({ ref, views, failed: live.failed });
      const key = `${ids.build} ${pathOf(request)}`;
      stream.closed = live.builds.addViewer({ key, ids, makeFeed }, stream, after);
    },
  });
}

function pipelineEvents(live: LiveFeeds): Route {
  const { views, publicViews } = live.ports;
  return route({
    method: 'GET',
    url: '/teams/:team/pipelines/:pipeline/events',
    needs: 'public',
    about:
      'The pipeline as it changes, as [server-sent events](../how-to/follow-live.md): each ' +
      '`pipeline` is its whole state with all jobs and resources, with fewer fields for the public. ' +
      'If you send `Last-Event-ID`, you get the current state only if it is another one.',
    schema: {
      params: PipelineParams,
      headers: Type.Object({ 'last-event-id': Type.Optional(StateId) }),
      response: Events,
    },
    forPublic: 'same',
    handler: async (request, reply) => {
      const name = request.params;
      const nonMember = isNonMember(request);
      const { id } = nonMember
        ? requireVisible(request, await publicViews.pipeline(name))
        : requireFound(await views.pipeline(name), `Pipeline ${name.pipeline} in team ${name.team}`);
      const stream = live.streams.answer('pipeline', request, reply);
      const state = nonMember ? stateForPublic(name, publicViews) : stateForMembers(name, views);
      const makeFeed = () => new PipelineFeed({ ...state, failed: live.failed });
      const stateId = request.headers['last-event-id'];
      const key = `${nonMember ? 'public' : 'members'} ${id} ${pathOf(request)}`;
      stream.closed = live.pipelines.addViewer({ key, ids: { pipeline: id }, makeFeed }, stream, stateId);
    },
  });
}

/**
 * The part of a feed's key that contains the names in the path. A feed reads by these names, so after a
 * rename the viewers under the old and the new name need different feeds.
 */
function pathOf({ params }: { params: object }): string {
  return JSON.stringify(params);
}
