import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, type Terminal } from '#cli/terminal.ts';
import { backOffMs } from '#domain/back-off.ts';
import type { Api } from './api.ts';
import { EventParser, type StreamEvent } from './event-stream.ts';
import { ProblemError } from './problem-error.ts';
import type { BuildDetailJson, ChunkJson } from './response-types.ts';
import { toUnreachable, Unreachable } from './unreachable.ts';

/** The server sends a heartbeat every 15 s. After this time without anything, the stream counts as broken. */
const SILENCE_MS = 60_000;
/**
 * The command gives up after this many attempts in a row without an event. With the pauses between the
 * attempts, that takes some minutes: longer than a restart of the server.
 */
const MAX_ATTEMPTS = 15;
/** Each pause is longer than the one before, up to this limit. */
const MAX_PAUSE_MS = 15_000;
/** The first pause, unless the server asks for another. */
const FIRST_PAUSE_MS = 1000;

/** Receives what happens in a build. */
export interface BuildListener {
  state(build: BuildDetailJson): void;
  log(chunk: ChunkJson): Promise<void>;
  /**
   * The stream broke and will be opened again. `cause` is a sentence. Called only for the first failure until
   * an event arrives.
   */
  broken(cause: string): void;
}

/**
 * Streams a build from its beginning to its end. Reconnects as needed. Reports each chunk of the log once,
 * and the state of the build again after each reconnect.
 */
export async function streamBuild(
  api: Pick<Api, 'url' | 'stream'>,
  path: string,
  listener: BuildListener,
  terminal: Pick<Terminal, 'pause'>,
): Promise<void> {
  const broken = (cause: string): void => listener.broken(cause);
  await followStream(
    { api, path },
    { receive: async (event) => await reportEvent(event, listener), broken },
    terminal,
  );
}

/** Receives the events of a stream. */
export interface EventListener {
  /** Returns whether this was the last event. */
  receive(event: StreamEvent): Promise<boolean>;
  /**
   * The stream broke and will be opened again. `cause` is a sentence. Called only for the first failure until
   * an event arrives.
   */
  broken(cause: string): void;
}

/**
 * Passes the events of a stream to the listener, up to the last one. Reconnects as needed, and resumes after
 * the last id that the server sent.
 */
export async function followStream(
  source: { api: Pick<Api, 'url' | 'stream'>; path: string },
  listener: EventListener,
  { pause = async (milliseconds) => await sleep(milliseconds) }: Pick<Terminal, 'pause'>,
): Promise<void> {
  const stream: Stream = { ...source };
  let failures = 0;
  for (;;) {
    const end = await followOnce(stream, listener, () => (failures = 0));
    if (end === 'over') return;
    failures += 1;
    if (failures >= MAX_ATTEMPTS) throw end;
    if (failures === 1) listener.broken(endSentence(end.message));
    await pause(backOffMs(failures, { firstMs: stream.retryMs ?? FIRST_PAUSE_MS, longestMs: MAX_PAUSE_MS }));
  }
}

export const endSentence = (message: string): string => (message.endsWith('.') ? message : `${message}.`);

/** Whether a later attempt may succeed. */
export function isWorthRetrying(error: unknown): error is CommandError {
  if (error instanceof ProblemError) return error.status === 429 || error.status >= 500;
  return error instanceof Unreachable;
}

interface Stream {
  api: Pick<Api, 'url' | 'stream'>;
  path: string;
  /** Id of the last reported event. */
  lastId?: string | undefined;
  /** How long the server asks clients to wait before they reconnect. */
  retryMs?: number | undefined;
}

/**
 * Streams until the last event. Returns `over`, or the error that broke the stream if a later attempt may
 * succeed. Throws any other error.
 */
async function followOnce(
  stream: Stream,
  listener: EventListener,
  onEvent: () => void,
): Promise<'over' | CommandError> {
  try {
    for await (const event of eventsOf(stream)) {
      onEvent();
      if (event.name === 'closed')
        throw new CommandError(
          'you may no longer read this: your session has ended, or you lost the role. ' +
            'Log in again, or ask an admin of the team',
        );
      if (await listener.receive(event)) return 'over';
      stream.lastId = event.id ?? stream.lastId;
    }
  } catch (error) {
    if (isWorthRetrying(error)) return error;
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
    throw error instanceof CommandError ? error : toUnreachable(api.url, error);
  } finally {
    clearTimeout(silence);
    stop.abort();
  }
}

/** Returns whether this was the last event. */
async function reportEvent({ name, data }: StreamEvent, listener: BuildListener): Promise<boolean> {
  if (name === 'build') listener.state(JSON.parse(data));
  if (name === 'log') await listener.log(JSON.parse(data));
  if (name !== 'end') return false;
  const { reason }: { reason?: string } = JSON.parse(data);
  if (reason !== undefined) throw new CommandError(reason);
  return true;
}
