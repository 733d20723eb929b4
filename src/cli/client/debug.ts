import { Readable } from 'node:stream';
import { CommandError, type Keys, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import type { TerminalSize } from '#domain/build/debug-session.ts';
import { visible } from '#domain/graph/measure-label.ts';
import type { Api } from './api.ts';
import { connect } from './connect.ts';
import { escapeOf } from './escape-keys.ts';
import { SentInput } from './sent-input.ts';
import { pathOfBuild } from './show-build.ts';
import { followStream } from './stream-build.ts';
import type { TeamOptions } from './team-options.ts';
import type { JobArgument } from './watch.ts';

export interface DebugOptions extends Omit<TeamOptions, 'output'> {
  step?: string;
}

interface DebugCommand {
  build: JobArgument & { build?: string };
  /** Empty: a shell. */
  command: string[];
}

interface DebugEndJson {
  reason: string;
  message: string;
  exit_code?: number;
}

/** Opens a shell in a running step and returns its exit code. */
export async function debug(
  { build, command }: DebugCommand,
  options: DebugOptions,
  terminal: Terminal,
): Promise<number> {
  const api = await connect(options, terminal);
  const { keys } = terminal;
  const path = `${await pathOfBuild(api, options.team, build)}/debug`;
  const size = keys && sizeOf(keys);
  const { data } = await api.ask<{ session: number; step_name: string }>('POST', path, {
    ...(command.length > 0 && { command }),
    ...defined({ step: options.step, terminal: size }),
  });
  if (keys !== undefined) terminal.err(`Shell in step ${visible(data.step_name)}:\n`);
  const { exit_code: exitCode, message, reason } = await follow(api, `${path}/${data.session}`, terminal);
  if (exitCode === undefined) throw new CommandError(visible(message));
  if (reason === 'not-started') terminal.err(`millrace: ${visible(message)}\n`);
  return exitCode;
}

/** Passes on input and output until the shell ends, and then forgets the session. */
async function follow(api: Api, path: string, terminal: Terminal): Promise<DebugEndJson> {
  const sent = new SentInput(api, path, terminal);
  const left = Promise.withResolvers<DebugEndJson>();
  const leave = (message: string): void => left.resolve({ reason: 'closed', message });
  const stop = terminal.keys === undefined ? pipe(terminal, sent) : type(terminal.keys, sent, leave);
  try {
    return await Promise.race([output(api, path, { terminal, sent }), left.promise, sent.failed]);
  } finally {
    stop();
    sent.stop();
    await api.send('DELETE', path).catch(() => undefined);
  }
}

async function output(
  api: Api,
  path: string,
  { terminal, sent }: { terminal: Terminal; sent: SentInput },
): Promise<DebugEndJson> {
  let end: DebugEndJson | undefined;
  const take = async ({ name, data, id }: { name: string; data: string; id: string | undefined }) => {
    if (name === 'end') end = JSON.parse(data);
    if (name === 'output') {
      const { data: bytes }: { data: string } = JSON.parse(data);
      terminal.out(Buffer.from(bytes, 'base64'));
      sent.received(Number(id));
    }
    return end !== undefined;
  };
  const broken = (why: string): void => terminal.err(`millrace: ${why}; connecting again\r\n`);
  await followStream({ api, path: `${path}/output` }, { take, broken }, terminal);
  if (end === undefined) throw new CommandError('the server closed the session');
  return end;
}

/** Sends keys, and the size whenever it changes. */
function type(keys: Keys, sent: SentInput, leave: (message: string) => void): () => void {
  const escape = escapeOf(() => leave('you left the shell'));
  return keys.take({
    keys: (bytes) => sent.data(escape(bytes)),
    resized: () => sent.size(sizeOf(keys)),
  });
}

/** Sends the standard input, unless somebody would have to type it. */
function pipe(terminal: Terminal, sent: SentInput): () => void {
  const input = standardInput(terminal);
  if (input === undefined) {
    sent.end();
    return () => undefined;
  }
  const read = async (): Promise<void> => {
    for await (const bytes of input) await sent.dataWhenRoom(bytes);
    sent.end();
  };
  read().catch(() => sent.end());
  return () => {
    // Another program may hold it open.
    if (input instanceof Readable) input.destroy();
  };
}

function standardInput(terminal: Terminal): AsyncIterable<Uint8Array> | undefined {
  try {
    return terminal.stdin();
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

const within = (size: number): number => Math.min(Math.max(size, 1), DEBUG_LIMITS.columns);

function sizeOf(keys: Keys): TerminalSize {
  const { columns, rows } = keys.size();
  return { columns: within(columns), rows: within(rows) };
}
