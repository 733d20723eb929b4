import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { requireVisible } from '#adapters/http/auth/public-access.ts';
import { clientHas } from '#adapters/http/protocol/etag.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { memoize } from '#adapters/http/server/memoize.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import type { FindCachedImage } from '#adapters/http/server/serve-cached-image.ts';
import { defined } from '#defined';
import { isMember } from '#domain/access/decide-access.ts';
import type { DrawingRefused } from '#flows/views/overview-ports.ts';
import type { Overviews, PictureOptions } from '#flows/views/show-pipeline.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { answer, PipelineParams } from './schemas.ts';

const Switch = Type.Optional(Type.Enum(['0', '1', 'true', 'false']));
export const GraphSwitches = { hide_intermediates: Switch, group_parallel: Switch };
const PictureQuery = Type.Object({
  ...GraphSwitches,
  version_id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
});
interface Switches {
  hide_intermediates?: string;
  group_parallel?: string;
}
interface Query extends Switches {
  version_id?: number;
}

const ABOUT = {
  svg:
    'The graph of the pipeline as an SVG image. `hide_intermediates=1` draws direct edges between jobs ' +
    'and shows only resources that trigger; `group_parallel=1` merges jobs with the same parents into one node; ' +
    '`version_id` fades what that version does not reach.',
  png: 'The graph of the pipeline as a PNG image, with the same parameters.',
};
const TYPES = { svg: 'image/svg+xml; charset=utf-8', png: 'image/png' } as const;

export function imageRoutes({ overviews }: PipelinePorts): Route[] {
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/image.dot',
      needs: 'public',
      about:
        'The graph of the pipeline for Graphviz, as `dot`. Takes `hide_intermediates`, `group_parallel` ' +
        'and `version_id` as the SVG image does.',
      schema: { params: PipelineParams, querystring: PictureQuery, response: answer({ dot: Type.String() }) },
      forPublic: 'same',
      handler: async (request, reply) => {
        const dot = await draw(overviews, 'dot', request, reply);
        return dot === undefined ? reply : { data: { dot: Buffer.from(dot).toString('utf8') } };
      },
    }),
    ...(['svg', 'png'] as const).map((format) =>
      route({
        method: 'GET',
        url: pathOf(format),
        needs: 'public',
        about: ABOUT[format],
        content: 'image',
        forPublic: 'same',
        schema: { params: PipelineParams, querystring: PictureQuery },
        handler: async (request, reply) => {
          const picture = await draw(overviews, format, request, reply);
          return picture === undefined ? reply : reply.type(TYPES[format]).send(picture);
        },
      }),
    ),
  ];
}

const CACHED_URLS = 2000;
/** No URL with both switches is longer, so a longer one cannot be in the cache. */
const MAX_URL_CHARACTERS = 200;
const IMAGE_URL = /^\/teams\/([\w.-]{1,63})\/pipelines\/([\w.-]{1,63})\/image\.(svg|png)(?:\?(.+))?$/;
const SWITCHES = /^(?:(?:hide_intermediates|group_parallel)=(?:[01]|true|false)(?:&(?!$)|$))+$/;

/**
 * Returns a function that finds cached images of public pipelines. It finds nothing for a URL in an unusual
 * form, such as one with a parameter twice, or for one with `version_id`. The routes serve such URLs.
 */
export function cachedPictures(overviews: Pick<Overviews, 'cachedPicture'>): FindCachedImage {
  const parse = memoize(CACHED_URLS, parseImageUrl);
  return (url) => {
    const image = url.length <= MAX_URL_CHARACTERS && url.includes('/image.') ? parse(url) : undefined;
    const picture = image && overviews.cachedPicture(image.name, image.options);
    return picture && { route: image.route, type: image.type, ...picture };
  };
}

interface ImageUrl {
  name: { team: string; pipeline: string };
  options: PictureOptions;
  route: string;
  type: string;
}

function parseImageUrl(url: string): ImageUrl | undefined {
  const { 1: team, 2: pipeline, 3: format, 4: query } = IMAGE_URL.exec(url) ?? [];
  if (team === undefined || pipeline === undefined || (format !== 'svg' && format !== 'png'))
    return undefined;
  if (query !== undefined && !SWITCHES.test(query)) return undefined;
  const parameters = [...new URLSearchParams(query)];
  const switches: Query = Object.fromEntries(parameters);
  if (Object.keys(switches).length < parameters.length) return undefined;
  return {
    name: { team, pipeline },
    options: pictureOptionsOf(format, switches),
    route: pathOf(format),
    type: TYPES[format],
  };
}

const pathOf = (format: string): string => `/teams/:team/pipelines/:pipeline/image.${format}`;

type ImageRequest = Pick<FastifyRequest, 'identity' | 'headers' | 'method'> & {
  params: { team: string; pipeline: string };
  query: Query;
};

function pictureOptionsOf(format: PictureOptions['format'], query: Query): PictureOptions {
  return {
    format,
    ...shapeOf(query),
    ...defined({ version: query.version_id }),
  };
}

/** The form of a graph that the parameters of a URL choose. */
export function shapeOf(switches: Switches) {
  return {
    hideIntermediates: isOn(switches.hide_intermediates),
    groupParallel: isOn(switches.group_parallel),
  };
}

/** Returns the bytes of the picture, or undefined if it has sent a 304. */
async function draw(
  overviews: Pick<Overviews, 'picture'>,
  format: PictureOptions['format'],
  request: ImageRequest,
  reply: FastifyReply,
): Promise<Uint8Array | undefined> {
  const { params, identity, query } = request;
  const options = pictureOptionsOf(format, query);
  const picture = requireVisible(
    request,
    await overviews.picture(params, isMember(identity, params.team), options),
  );
  if (picture === 'no-version') {
    throw new Problem('not-found', `Pipeline ${params.pipeline} has no version ${query.version_id}.`);
  }
  if (picture.public) void reply.header('cache-control', 'no-cache');
  if (clientHas(request, reply, picture.tag)) {
    void reply.code(304).send();
    return undefined;
  }
  const drawn = await picture.draw();
  if ('bytes' in drawn) return drawn.bytes;
  void reply.removeHeader('etag');
  throw drawingProblem(drawn);
}

/**
 * The problem that says why there is no image or no layout. A client may repeat a request that failed with
 * `unavailable`.
 */
export function drawingProblem({ refused: { reason, message } }: DrawingRefused): Problem {
  const isPermanent = reason === 'too-large' || reason === 'time-limit';
  return new Problem(isPermanent ? 'refused' : 'unavailable', sentence(message));
}

const isOn = (value: string | undefined): boolean => value === '1' || value === 'true';
const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
