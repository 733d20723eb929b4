import type { ShimExit } from '#adapters/process/shim-commands.ts';
import type { RunningShell } from '#adapters/process/shim-connection.ts';
import { defined } from '#defined';
import type { DebugReport, DebugSessionWork } from '#domain/build/agent-protocol.ts';
import { DEBUG_LIMITS } from '#domain/build/debug-limits.ts';
import { STEP_ENDED, type DebugEnd, type DebugInput } from '#domain/build/debug-session.ts';
import { MaskedText } from './masked-text.ts';
import type { RunningCommands } from './running-commands.ts';

const MAX_PIECES_PER_REQUEST = 6;
/** The time from SIGHUP to SIGKILL. */
const KILL_AFTER_MS = 2000;
const TERMINAL_TYPE = 'xterm-256color';

interface Piece {
  sequence: number;
  data: string;
  /** Called when the gateway has stored the piece: the shell may print more. */
  onStored: () => void;
}

/** A shell of a person beside the command of a step. */
export class DebugShell {
  readonly #id: number;
  /** Called when there may be something new to report. */
  readonly #onNews: () => void;
  readonly #streams: Record<'stdout' | 'stderr', MaskedText>;
  #shell: RunningShell | undefined;
  /**
   * The sequence number of the last input from the gateway, and of the last input that the shell has read.
   */
  #takenInput = 0;
  #readInput = 0;
  #inputQueue: Promise<void> = Promise.resolve();
  #lastSequence = 0;
  #pieces: Piece[] = [];
  #end: DebugEnd | undefined;
  #closed = false;

  constructor(work: DebugSessionWork, commands: RunningCommands, onNews: () => void) {
    this.#id = work.id;
    this.#onNews = onNews;
    const { masker } = commands;
    this.#streams = { stdout: new MaskedText(masker), stderr: new MaskedText(masker) };
    this.#open(work, commands);
  }

  /** Whether the shell has output or an end that the gateway has not stored. */
  get hasNews(): boolean {
    return this.#pieces.length > 0 || this.#end !== undefined;
  }

  /**
   * What to send to the gateway: the oldest output, or the end of the shell once all its output is stored.
   */
  report(): DebugReport {
    const output = this.#pieces
      .slice(0, MAX_PIECES_PER_REQUEST)
      .map(({ sequence, data }) => ({ sequence, data }));
    const end = this.#pieces.length === 0 ? this.#end : undefined;
    return { id: this.#id, received: this.#readInput, output, ...defined({ end }) };
  }

  /** Drops the output that the gateway has stored, and passes new input of the person to the shell. */
  take({ received, input }: DebugSessionWork): void {
    const stored = this.#pieces.filter(({ sequence }) => sequence <= received);
    this.#pieces = this.#pieces.filter(({ sequence }) => sequence > received);
    for (const piece of stored) piece.onStored();
    for (const message of input.filter(({ sequence }) => sequence > this.#takenInput)) {
      this.#takenInput = message.sequence;
      this.#inputQueue = this.#writeAfter(this.#inputQueue, message);
    }
  }

  /** Ends the shell and drops its output. Call it when its debug session or the build is over. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { onStored } of this.#pieces) onStored();
    this.#pieces = [];
    const shell = this.#shell;
    if (shell === undefined || this.#end !== undefined) return;
    shell.signal('SIGHUP');
    const timer = setTimeout(() => shell.signal('SIGKILL'), KILL_AFTER_MS);
    void shell.ended.catch(() => undefined).finally(() => clearTimeout(timer));
  }

  #open(work: DebugSessionWork, commands: RunningCommands): void {
    const { step, terminal, command, openedBy } = work;
    const running = commands.of(step);
    if (running === undefined) {
      this.#end = { reason: 'not-started', message: 'The step runs no command at the moment.' };
      return;
    }
    const { shim, beside, cwd, note } = running;
    const env = terminal === undefined ? running.env : { TERM: TERMINAL_TYPE, ...running.env };
    note(`${openedBy} opens a shell in this step`);
    this.#shell = shim.debug(
      { beside, cwd, argv: command, env, ...defined({ terminal }) },
      { onOutput: async (stream, bytes) => await this.#append(this.#streams[stream].write(bytes)) },
    );
    this.#shell.ended.then(
      (exit) => this.#finish(endOf(exit), () => note(`the shell of ${openedBy} has ended`)),
      (error: unknown) => this.#finish({ reason: 'step-ended', message: String(error) }, () => undefined),
    );
  }

  #finish(end: DebugEnd, note: () => void): void {
    if (end.reason !== 'step-ended') note();
    for (const stream of Object.values(this.#streams)) void this.#append(stream.end());
    this.#end = end;
    this.#onNews();
  }

  async #writeAfter(before: Promise<void>, message: DebugInput & { sequence: number }): Promise<void> {
    await before;
    await this.#writeInput(message);
    this.#readInput = message.sequence;
    this.#onNews();
  }

  async #writeInput(message: DebugInput): Promise<void> {
    if ('columns' in message) this.#shell?.resize(message);
    else await this.#shell?.write(Buffer.from('data' in message ? message.data : '', 'base64'));
  }

  /** Resolves when the gateway has stored the text, or the shell is closed. */
  async #append(text: string): Promise<void> {
    if (this.#closed || text === '') return;
    const bytes = Buffer.from(text);
    const stored: Promise<void>[] = [];
    for (let offset = 0; offset < bytes.length; offset += DEBUG_LIMITS.messageBytes) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#lastSequence += 1;
      const data = bytes.subarray(offset, offset + DEBUG_LIMITS.messageBytes).toString('base64');
      this.#pieces.push({ sequence: this.#lastSequence, data, onStored: resolve });
      stored.push(promise);
    }
    this.#onNews();
    await Promise.all(stored);
  }
}

function endOf({ end, message, commandEnded }: ShimExit): DebugEnd {
  if (commandEnded) return STEP_ENDED;
  switch (end.kind) {
    case 'not-started':
      return { reason: 'not-started', message: `It did not start: ${message}.`, exitCode: end.code };
    case 'signal':
      return { reason: 'exited', message: 'A signal ended the shell.', exitCode: 128 + end.signal };
    case 'code':
    default:
      return { reason: 'exited', message: 'The shell has ended.', exitCode: end.code };
  }
}
