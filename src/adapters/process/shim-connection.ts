import type { Socket } from 'node:net';
import { frameCutter, type Frame, type Seals } from './sealed-frames.ts';
import {
  decodeExit,
  encodeCommand,
  encodeDebug,
  encodeSize,
  FROM_SHIM,
  number,
  TO_SHIM,
  type ShimCommand,
  type ShimDebug,
  type ShimExit,
} from './shim-commands.ts';

export interface Listener {
  onStarted?: (pid: number) => void;
  /** Resolves when the bytes are handled. Only then can the command print more. */
  onOutput: (stream: 'stdout' | 'stderr', bytes: Buffer) => void | Promise<void>;
}

export interface Running {
  /** A shell names the command beside which it runs by it. */
  id: number;
  /** Rejects with `ContainerGone` when the container ends first. */
  ended: Promise<ShimExit & { output: string }>;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
}

/** A shell beside a command. */
export interface RunningShell {
  /** Rejects with `ContainerGone` when the container ends first. */
  ended: Promise<ShimExit>;
  /** Resolves when the shell has read it, or has ended. Empty: the input ends. Wait before the next one. */
  write(bytes: Buffer): Promise<void>;
  resize(size: { columns: number; rows: number }): void;
  signal(name: 'SIGHUP' | 'SIGKILL'): void;
}

/** The container ended, or its shim was killed, before the command's end was known. */
class ContainerGone extends Error {
  override name = 'ContainerGone';
}

interface Current {
  listener: Listener;
  output: Buffer[];
  resolve: (exit: ShimExit & { output: string }) => void;
  reject: (error: Error) => void;
  /** The shell has read its input. */
  consumed?: () => void;
}

const SIGNALS = { SIGHUP: 1, SIGTERM: 15, SIGKILL: 9 } as const;

/** The agent's end of the connection to one shim. Commands may run at the same time. */
export class ShimConnection {
  readonly container: string;
  /** Settles when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #seals: Seals;
  readonly #running = new Map<number, Current>();
  #lastId = 0;
  #over: Error | undefined;

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

  /** Handles the bytes that came after the hello, and all later ones. */
  begin(rest: Buffer): void {
    const cut = frameCutter((sealed) => this.#receive(this.#seals.open(sealed)));
    const take = (bytes: Buffer): void => {
      try {
        cut(bytes);
      } catch (error) {
        this.#end(new ContainerGone(`the container ${this.container} broke the protocol: ${String(error)}`));
        this.#socket.destroy();
      }
    };
    take(rest);
    this.#socket.on('data', take);
  }

  run(command: ShimCommand, listener: Listener): Running {
    const { id, ended } = this.#begin(TO_SHIM.run, encodeCommand(command), listener);
    return { id, ended, signal: (name) => this.#signal(id, name) };
  }

  /** Opens a shell beside a command that runs. The shell ends with it. */
  debug(shell: ShimDebug, listener: Listener): RunningShell {
    const { id, ended } = this.#begin(TO_SHIM.debug, encodeDebug(shell), listener);
    return {
      ended,
      write: async (bytes) => {
        const current = this.#running.get(id);
        if (current === undefined) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        current.consumed = resolve;
        this.#send(TO_SHIM.input, id, bytes);
        await promise;
      },
      resize: (size) => this.#send(TO_SHIM.resize, id, Buffer.concat(encodeSize(size))),
      signal: (name) => this.#signal(id, name),
    };
  }

  #begin(kind: number, payload: Buffer, listener: Listener) {
    this.#lastId += 1;
    const id = this.#lastId;
    const ended = new Promise<ShimExit & { output: string }>((resolve, reject) => {
      if (this.#over) {
        reject(this.#over);
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

  /** Asks the shim to kill the remaining processes and exit with 0. Drops the connection if it takes too long. */
  async end(): Promise<void> {
    const limit = setTimeout(() => this.#socket.destroy(), 2000);
    await this.askToEnd();
    clearTimeout(limit);
  }

  /** The same, however long it takes. */
  async askToEnd(): Promise<void> {
    this.#send(TO_SHIM.end, 0, Buffer.alloc(0));
    await this.closed;
  }

  /** Closes the connection as a dead agent would. The shim then kills everything and exits with 1. */
  drop(): void {
    this.#socket.destroy();
  }

  #send(kind: number, id: number, payload: Buffer): void {
    if (!this.#over) this.#socket.write(this.#seals.seal({ kind, id, payload }));
  }

  #end(reason: Error): void {
    this.#over ??= reason;
    const waiting = [...this.#running.values()];
    this.#running.clear();
    for (const current of waiting) {
      current.consumed?.();
      current.reject(this.#over);
    }
  }

  #receive({ kind, id, payload }: Frame): void {
    const current = this.#running.get(id);
    if (!current) return;
    switch (kind) {
      case FROM_SHIM.started:
        current.listener.onStarted?.(payload.readUInt32BE(0));
        break;
      case FROM_SHIM.stdout:
        this.#pass(current, id, { stream: 'stdout', bytes: payload });
        break;
      case FROM_SHIM.stderr:
        this.#pass(current, id, { stream: 'stderr', bytes: payload });
        break;
      case FROM_SHIM.output:
        current.output.push(payload);
        break;
      case FROM_SHIM.consumed:
        current.consumed?.();
        break;
      case FROM_SHIM.exit:
        this.#finish(current, id, payload);
        break;
      default:
        throw new Error(`a frame of unknown kind ${kind}`);
    }
  }

  #finish(current: Current, id: number, payload: Buffer): void {
    this.#running.delete(id);
    current.consumed?.();
    current.resolve({ ...decodeExit(payload), output: Buffer.concat(current.output).toString('utf8') });
  }

  #pass(
    current: Current,
    id: number,
    { stream, bytes }: { stream: 'stdout' | 'stderr'; bytes: Buffer },
  ): void {
    const credit = (): void => this.#send(TO_SHIM.credit, id, number(bytes.length));
    const busy = current.listener.onOutput(stream, bytes);
    if (busy) void busy.then(credit, credit);
    else credit();
  }
}
