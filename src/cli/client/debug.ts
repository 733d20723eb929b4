import { Readable } from 'node:stream';
import { CommandError, type Keys, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import type { TerminalSize } from '#domain/build/debug-session.ts';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import type { Api } from './api.ts';
import { connect } from './connect.ts';
import { filterEscape } from './escape-keys.ts';
import { InputSender } from './input-sender.ts';
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
  if (keys !== undefined) terminal.err(`Shell in step ${replaceInvisible(data.step_name)}:\n`);
  const { exit_code: exitCode, message, reason } = await runSession(api, `${path}/${data.session}`, terminal);
  if (exitCode === undefined) throw new CommandError(replaceInvisible(message));
  if (reason === 'not-started') terminal.err(`millrace: ${replaceInvisible(message)}\n`);
  return exitCode;
}

/** Passes on input and output until the shell ends or the user leaves. Then deletes the session. */
async function runSession(api: Api, path: string, terminal: Terminal): Promise<DebugEndJson> {
  const sender = new InputSender(api, path, terminal);
  const leaving = Promise.withResolvers<DebugEndJson>();
  const leave = (message: string): void => leaving.resolve({ reason: 'closed', message });
  const stop =
    terminal.keys === undefined
      ? sendStandardInput(terminal, sender)
      : sendKeys(terminal.keys, sender, leave);
  try {
    return await Promise.race([printOutput(api, path, { terminal, sender }), leaving.promise, sender.failed]);
  } finally {
    stop();
    sender.stop();
    await api.send('DELETE', path).catch(() => undefined);
  }
}

async function printOutput(
  api: Api,
  path: string,
  { terminal, sender }: { terminal: Terminal; sender: InputSender },
): Promise<DebugEndJson> {
  let end: DebugEndJson | undefined;
  const receive = async ({ name, data, id }: { name: string; data: string; id: string | undefined }) => {
    if (name === 'end') end = JSON.parse(data);
    if (name === 'output') {
      const { data: bytes }: { data: string } = JSON.parse(data);
      terminal.out(Buffer.from(bytes, 'base64'));
      sender.confirmOutput(Number(id));
    }
    return end !== undefined;
  };
  const broken = (cause: string): void => terminal.err(`millrace: ${cause} Connecting again.\r\n`);
  await followStream({ api, path: `${path}/output` }, { receive, broken }, terminal);
  if (end === undefined)
    throw new CommandError('the server closed the session of the shell: run the command again');
  return end;
}

/** Sends keys, and the size of the terminal whenever it changes. */
function sendKeys(keys: Keys, sender: InputSender, leave: (message: string) => void): () => void {
  const keysToPassOn = filterEscape(() => leave('you left the shell'));
  return keys.take({
    keys: (bytes) => sender.sendData(keysToPassOn(bytes)),
    resized: () => sender.sendSize(sizeOf(keys)),
  });
}

/** Sends the standard input, unless it is a terminal: then the shell gets no input. */
function sendStandardInput(terminal: Terminal, sender: InputSender): () => void {
  const input = standardInput(terminal);
  if (input === undefined) {
    sender.sendEnd();
    return () => undefined;
  }
  const read = async (): Promise<void> => {
    for await (const bytes of input) await sender.sendDataWhenRoom(bytes);
    sender.sendEnd();
  };
  read().catch(() => sender.sendEnd());
  return () => {
    // Another program may hold the standard input open, so that it never ends by itself.
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

const clampToLimit = (size: number): number => Math.min(Math.max(size, 1), DEBUG_LIMITS.terminalSide);

function sizeOf(keys: Keys): TerminalSize {
  const { columns, rows } = keys.size();
  return { columns: clampToLimit(columns), rows: clampToLimit(rows) };
}
