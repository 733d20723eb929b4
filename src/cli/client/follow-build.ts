import { setTimeout as sleep } from 'node:timers/promises';
import { Misuse, type Terminal } from '#cli/terminal.ts';
import { backOffMs } from '#domain/back-off.ts';
import type { BuildDetailTold, ChunkTold } from './answers.ts';
import type { Api } from './api.ts';
import { EventParser, type StreamEvent } from './event-stream.ts';
import { Refused } from './refused.ts';
import { Unreachable, unreachable } from './unreachable.ts';

/** The server gives a sign of life every 15 s: a stream that says nothing for so long is broken. */
const SILENCE_MS = 60_000;
/**
 * Attempts in a row without a word, and the longest pause before one: together some minutes, more than a
 * server takes to restart.
 */
const MOST_ATTEMPTS = 15;
const LONGEST_PAUSE_MS = 15_000;
const FIRST_PAUSE_MS = 1000;

/** Who is told what happens. */
export interface Follower {
  state(build: BuildDetailTold): void;
  log(chunk: ChunkTold): Promise<void>;
  /** The stream broke, and is asked for again. */
  broken(why: string): void;
}

/**
 * Tells all that a build says from its beginning to its end, once each, however often the connection breaks.
 */
export async function followBuild(
  api: Pick<Api, 'url' | 'stream'>,
  path: string,
  follower: Follower,
  { pause = async (milliseconds) => await sleep(milliseconds) }: Pick<Terminal, 'pause'>,
): Promise<void> {
  const stream: Stream = { api, path };
  let failed = 0;
  for (;;) {
    const end = await followOnce(stream, follower, () => (failed = 0));
    if (end === 'over') return;
    failed += 1;
    if (failed >= MOST_ATTEMPTS) throw end;
    if (failed === 1) follower.broken(end.message);
    await pause(
      backOffMs(failed, { firstMs: stream.retryMs ?? FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS }),
    );
  }
}

/** It may be there again in a moment. */
function isPassing(error: unknown): error is Misuse {
  if (error instanceof Refused) return error.status === 429 || error.status >= 500;
  return error instanceof Unreachable;
}

interface Stream {
  api: Pick<Api, 'url' | 'stream'>;
  path: string;
  /** Of the last event that was told. */
  lastId?: string | undefined;
  /** After how long the server wants to be asked again. */
  retryMs?: number | undefined;
}

/** Until the build's end, or what broke it before. */
async function followOnce(stream: Stream, follower: Follower, heard: () => void): Promise<'over' | Misuse> {
  try {
    for await (const event of eventsOf(stream)) {
      heard();
      if (await tell(event, follower)) return 'over';
      stream.lastId = event.id ?? stream.lastId;
    }
  } catch (error) {
    if (isPassing(error)) return error;
    throw error;
  }
  return new Unreachable(`${stream.api.url} closed the stream`);
}

async function* eventsOf(stream: Stream): AsyncGenerator<StreamEvent> {
  const { api, path, lastId } = stream;
  const parser = new EventParser();
  const stop = new AbortController();
  const silence = setTimeout(() => stop.abort(), SILENCE_MS);
  try {
    const body = await api.stream(path, lastId === undefined ? {} : { 'last-event-id': lastId }, stop.signal);
    for await (const part of body) {
      silence.refresh();
      const events = parser.push(part);
      stream.retryMs = parser.retryMs ?? stream.retryMs;
      yield* events;
    }
  } catch (error) {
    throw error instanceof Misuse ? error : unreachable(api.url, error);
  } finally {
    clearTimeout(silence);
    stop.abort();
  }
}

/** Whether that was the last of it. */
async function tell({ name, data }: StreamEvent, follower: Follower): Promise<boolean> {
  if (name === 'build') follower.state(JSON.parse(data));
  if (name === 'log') await follower.log(JSON.parse(data));
  if (name === 'closed')
    throw new Misuse('you may no longer read this: your session has ended, or you lost the role');
  if (name !== 'end') return false;
  const { reason }: { reason?: string } = JSON.parse(data);
  if (reason !== undefined) throw new Misuse(reason);
  return true;
}
