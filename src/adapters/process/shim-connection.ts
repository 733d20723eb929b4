import type { Socket } from 'node:net';
import { frameCutter, type Frame, type Seals } from './sealed-frames.ts';
import {
  decodeExit,
  encodeCommand,
  encodeDebug,
  encodeSize,
  FROM_SHIM,
  TO_SHIM,
  uint32,
  type ShimCommand,
  type ShimExit,
  type ShimShell,
} from './shim-commands.ts';

export interface Listener {
  onStarted?: (pid: number) => void;
  /**
   * Handles output. The promise resolves when the bytes are handled. If too many bytes wait, the command is
   * blocked until then.
   */
  onOutput: (stream: 'stdout' | 'stderr', bytes: Buffer) => void | Promise<void>;
}

export interface Running {
  /** A shell names the command beside which it runs by this id (`ShimShell.beside`). */
  id: number;
  /** Rejects with `ContainerGone` when the container ends first. */
  ended: Promise<ShimExit & { output: string }>;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
}

/** A shell beside a command. */
export interface RunningShell {
  /** Rejects with `ContainerGone` when the container ends first. */
  ended: Promise<ShimExit>;
  /**
   * Writes to the shell's input; empty bytes end the input. Resolves when the shell has read the bytes or has
   * ended. Do not write again before that.
   */
  write(bytes: Buffer): Promise<void>;
  resize(size: { columns: number; rows: number }): void;
  signal(name: 'SIGHUP' | 'SIGKILL'): void;
}

/** The container ended, or its shim was killed, before the command's end was known. */
class ContainerGone extends Error {
  override name = 'ContainerGone';
}

interface RunningCommand {
  listener: Listener;
  output: Buffer[];
  resolve: (exit: ShimExit & { output: string }) => void;
  reject: (error: Error) => void;
  /** Resolves the promise of `write`: the shell has read its input, or has ended. */
  consumed?: () => void;
}

/** How long `end` waits for the shim. */
const END_LIMIT_MS = 2000;
/** The numbers of Linux: signal(7). */
const SIGNALS = { SIGHUP: 1, SIGTERM: 15, SIGKILL: 9 } as const;

/** The agent's end of the connection to one shim. Commands may run at the same time. */
export class ShimConnection {
  readonly container: string;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #seals: Seals;
  readonly #running = new Map<number, RunningCommand>();
  #lastId = 0;
  #closedBy: Error | undefined;

  constructor(container: string, socket: Socket, seals: Seals) {
    this.container = container;
    this.#socket = socket;
    this.#seals = seals;
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#end(new ContainerGone(`the container ${container} ended`));
        resolve();
      });
    });
    socket.on('error', () => undefined);
  }

  /** Starts to handle frames. `earlyBytes`: what was received together with the hello and follows it. */
  begin(earlyBytes: Buffer): void {
    const cutFrames = frameCutter((sealed) => this.#receive(this.#seals.open(sealed)));
    const receive = (bytes: Buffer): void => {
      try {
        cutFrames(bytes);
      } catch (error) {
        this.#end(new ContainerGone(`the container ${this.container} broke the protocol: ${String(error)}`));
        this.#socket.destroy();
      }
    };
    receive(earlyBytes);
    this.#socket.on('data', receive);
  }

  run(command: ShimCommand, listener: Listener): Running {
    const { id, ended } = this.#start(TO_SHIM.run, encodeCommand(command), listener);
    return { id, ended, signal: (name) => this.#signal(id, name) };
  }

  /** Opens a shell beside a running command. The shell ends when that command ends. */
  debug(shell: ShimShell, listener: Listener): RunningShell {
    const { id, ended } = this.#start(TO_SHIM.debug, encodeDebug(shell), listener);
    return {
      ended,
      write: async (bytes) => {
        const command = this.#running.get(id);
        if (command === undefined) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        command.consumed = resolve;
        this.#send(TO_SHIM.input, id, bytes);
        await promise;
      },
      resize: (size) => this.#send(TO_SHIM.resize, id, Buffer.concat(encodeSize(size))),
      signal: (name) => this.#signal(id, name),
    };
  }

  #start(kind: number, payload: Buffer, listener: Listener) {
    this.#lastId += 1;
    const id = this.#lastId;
    const ended = new Promise<ShimExit & { output: string }>((resolve, reject) => {
      if (this.#closedBy) {
        reject(this.#closedBy);
        return;
      }
      this.#running.set(id, { listener, output: [], resolve, reject });
      this.#send(kind, id, payload);
    });
    return { id, ended };
  }

  #signal(id: number, name: keyof typeof SIGNALS): void {
    this.#send(TO_SHIM.signal, id, Buffer.from([SIGNALS[name]]));
  }

  /**
   * Asks the shim to kill the remaining processes and exit with code 0. Drops the connection if that takes
   * too long.
   */
  async end(): Promise<void> {
    const timer = setTimeout(() => this.#socket.destroy(), END_LIMIT_MS);
    await this.askToEnd();
    clearTimeout(timer);
  }

  /** Asks the shim to end, as `end` does, but waits without a limit. */
  async askToEnd(): Promise<void> {
    this.#send(TO_SHIM.end, 0, Buffer.alloc(0));
    await this.closed;
  }

  /**
   * Closes the connection as if the agent had died. The shim then kills all processes and exits with code 1.
   */
  drop(): void {
    this.#socket.destroy();
  }

  #send(kind: number, id: number, payload: Buffer): void {
    if (!this.#closedBy) this.#socket.write(this.#seals.seal({ kind, id, payload }));
  }

  #end(reason: Error): void {
    this.#closedBy ??= reason;
    const running = [...this.#running.values()];
    this.#running.clear();
    for (const command of running) {
      command.consumed?.();
      command.reject(this.#closedBy);
    }
  }

  #receive({ kind, id, payload }: Frame): void {
    const command = this.#running.get(id);
    if (!command) return;
    switch (kind) {
      case FROM_SHIM.started:
        command.listener.onStarted?.(payload.readUInt32BE(0));
        break;
      case FROM_SHIM.stdout:
        this.#passOutput(command, id, { stream: 'stdout', bytes: payload });
        break;
      case FROM_SHIM.stderr:
        this.#passOutput(command, id, { stream: 'stderr', bytes: payload });
        break;
      case FROM_SHIM.output:
        command.output.push(payload);
        break;
      case FROM_SHIM.consumed:
        command.consumed?.();
        break;
      case FROM_SHIM.exit:
        this.#finish(command, id, payload);
        break;
      default:
        throw new Error(`unknown kind of frame: ${kind}`);
    }
  }

  #finish(command: RunningCommand, id: number, payload: Buffer): void {
    this.#running.delete(id);
    command.consumed?.();
    command.resolve({ ...decodeExit(payload), output: Buffer.concat(command.output).toString('utf8') });
  }

  #passOutput(
    command: RunningCommand,
    id: number,
    { stream, bytes }: { stream: 'stdout' | 'stderr'; bytes: Buffer },
  ): void {
    // The shim sends further output only after the agent has returned the credit for earlier output.
    const returnCredit = (): void => this.#send(TO_SHIM.credit, id, uint32(bytes.length));
    const handled = command.listener.onOutput(stream, bytes);
    if (handled) void handled.then(returnCredit, returnCredit);
    else returnCredit();
  }
}
