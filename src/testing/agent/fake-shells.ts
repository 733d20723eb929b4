import type { DebugExchange, DebugSessionWork, DebugWork } from '#domain/build/agent-protocol.ts';
import type { DebugEnd, DebugInput } from '#domain/build/debug-session.ts';
import type { FakeGateway } from './fake-gateway.ts';

/** The gateway's side of shells that a test opens in an agent's steps. */
export class FakeShells {
  readonly #gateway: FakeGateway;
  readonly #shells = new Map<number, DebugSessionWork>();
  readonly ends = new Map<number, DebugEnd>();
  readonly #printed = new Map<number, string>();
  #waiting: { test: () => boolean; resolve: () => void }[] = [];

  constructor(gateway: FakeGateway) {
    this.#gateway = gateway;
    gateway.debug = (exchange) => this.#exchange(exchange);
  }

  /** Everything that the shell has printed. */
  printed(id: number): string {
    return this.#printed.get(id) ?? '';
  }

  open(id: number, step: string, more: Partial<DebugSessionWork> = {}): void {
    this.#shells.set(id, { id, step, openedBy: 'ann', command: [], received: 0, input: [], ...more });
    this.#gateway.callForShells();
  }

  give(id: number, input: DebugInput): void {
    const shell = this.#shells.get(id);
    if (shell === undefined) throw new Error(`no shell ${id}`);
    const sequence = (this.#lastSequences.get(id) ?? 0) + 1;
    this.#lastSequences.set(id, sequence);
    shell.input.push({ sequence, ...input });
    this.#gateway.callForShells();
  }

  enter(id: number, text: string): void {
    this.give(id, { data: Buffer.from(text).toString('base64') });
  }

  close(id: number): void {
    this.#shells.delete(id);
    this.#gateway.callForShells();
  }

  /** Resolves when the agent has reported something that makes `test` true. */
  async when(test: () => boolean): Promise<void> {
    if (!test()) await new Promise<void>((resolve) => this.#waiting.push({ test, resolve }));
  }

  readonly #lastSequences = new Map<number, number>();

  #exchange({ sessions }: DebugExchange): DebugWork {
    for (const { id, received, output, end } of sessions) {
      const shell = this.#shells.get(id);
      if (shell === undefined) continue;
      shell.input = shell.input.filter(({ sequence }) => sequence > received);
      for (const { sequence, data } of output) {
        if (sequence !== shell.received + 1) continue;
        shell.received = sequence;
        this.#printed.set(id, this.printed(id) + Buffer.from(data, 'base64').toString());
      }
      if (end === undefined) continue;
      this.ends.set(id, end);
      this.#shells.delete(id);
    }
    const due = this.#waiting.filter(({ test }) => test());
    this.#waiting = this.#waiting.filter((waiting) => !due.includes(waiting));
    for (const { resolve } of due) resolve();
    return { sessions: [...this.#shells.values()] };
  }
}
