import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { preferred } from '#adapters/http/protocol/negotiate.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { LOG_REMOVED, type LogPage } from '#flows/views/ports.ts';
import { nameBuild, refOf } from './builds.ts';
import { requireFound } from './found.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { BUILD_PATH, BuildParams, Time } from './schemas.ts';

export const Chunk = Type.Object({
  attempt: Type.Integer(),
  sequence: Type.Integer(),
  step: Type.String(),
  text: Type.String(),
  at: Time,
});

const MAX_DOWNLOAD_MS = 15 * 60_000;

/** The whole log as plain text, or pages of numbered chunks as JSON. */
export function logRoutes({ views }: PipelinePorts): Route[] {
  return [
    route({
      method: 'GET',
      url: `${BUILD_PATH}/logs`,
      needs: 'read',
      about:
        'The log as plain text, or as numbered chunks if you accept `application/json`. `after`: resume ' +
        'after this sequence number. `timestamps=true`: each line of the text starts with its time.',
      timeLimit: MAX_DOWNLOAD_MS,
      schema: {
        params: BuildParams,
        querystring: Type.Object({
          after: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
          timestamps: Type.Boolean({ default: false }),
        }),
        response: {
          200: {
            content: {
              'text/plain': { schema: Type.Unsafe<Readable>({ type: 'string' }) },
              'application/json': {
                schema: Type.Object({
                  data: Type.Array(Chunk),
                  has_more: Type.Boolean(),
                  complete: Type.Boolean(),
                }),
              },
            },
          },
        },
      },
      handler: async (request, reply) => {
        const { params, query, headers } = request;
        const ref = refOf(params);
        const page = requireFound(await views.logs(ref, query.after), nameBuild(ref));
        if (preferred(headers.accept, ['text/plain', 'application/json']) === 'application/json') {
          return reply.type('application/json; charset=utf-8').send(encode(page));
        }
        return reply.type('text/plain; charset=utf-8').send(
          Readable.from(
            logText(page, {
              recheckAccess: async () => await request.server.recheckAccess(request),
              read: async (after) => await views.logs(ref, after),
              timestamps: query.timestamps,
            }),
          ),
        );
      },
    }),
  ];
}

function encode({ chunks, hasMore, complete }: LogPage) {
  return {
    data: chunks.map(encodeChunk),
    has_more: hasMore,
    complete,
  };
}

export function encodeChunk({ at, ...chunk }: LogPage['chunks'][number]) {
  return { ...chunk, at: at.toISOString() };
}

type StoredChunk = LogPage['chunks'][number];

interface LogReading {
  /** Throws if the viewer may no longer read the log. */
  recheckAccess: () => Promise<void>;
  /** Returns the page after this sequence number, or undefined if the build does not exist any more. */
  read: (after: number) => Promise<LogPage | undefined>;
  /** Whether each line starts with the time of its chunk. Absent: false. */
  timestamps?: boolean;
}

/**
 * Yields the text of the log. After it has sent a page, it checks the rights of the viewer again and then
 * reads the next page, because a slow download can last minutes. A line marks where the log of another
 * attempt starts, and says why there was another attempt, if that is known.
 */
export async function* logText(
  firstPage: LogPage,
  { recheckAccess, read, timestamps = false }: LogReading,
): AsyncGenerator<string> {
  const formatChunk = chunkFormatter(firstPage, timestamps);
  let page: LogPage | undefined = firstPage;
  if (firstPage.removed) yield `${LOG_REMOVED}\n`;
  while (page !== undefined) {
    for (const chunk of page.chunks) yield formatChunk(page, chunk);
    const last: number | undefined = page.chunks.at(-1)?.sequence;
    if (!page.hasMore || last === undefined) return;
    await recheckAccess();
    page = await read(last);
  }
}

/**
 * Returns a function that formats a chunk. If the chunk belongs to another attempt than the one before, a
 * line that announces the attempt comes first.
 */
function chunkFormatter(
  firstPage: LogPage,
  timestamps: boolean,
): (page: LogPage, chunk: StoredChunk) => string {
  let attempt = firstPage.chunks[0]?.attempt ?? 1;
  let isAtLineStart = true;
  return (page, chunk) => {
    const announcement = chunk.attempt === attempt ? '' : attemptLine(page, chunk.attempt);
    const text = timestamps ? withTimes(chunk, isAtLineStart || announcement !== '') : chunk.text;
    attempt = chunk.attempt;
    isAtLineStart = chunk.text.endsWith('\n');
    return announcement + text;
  };
}

function withTimes({ text, at }: StoredChunk, isAtLineStart: boolean): string {
  const time = `${at.toISOString()} `;
  return (isAtLineStart ? time : '') + text.replaceAll(/\n(?!$)/g, `\n${time}`);
}

function attemptLine({ retried }: LogPage, attempt: number): string {
  const lastLost = retried.findLast((lost) => lost.attempt < attempt);
  const reason = lastLost === undefined ? '' : `: ${lastLost.reason.replaceAll(/\s+/g, ' ')}`;
  return `\n--- attempt ${attempt}${reason} ---\n`;
}
