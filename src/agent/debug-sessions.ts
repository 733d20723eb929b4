import type { DebugExchange, DebugWork } from '#domain/build/agent-protocol.ts';
import { DebugShell } from './debug-shell.ts';
import { gatewayBackOff, isFinal, pauseFor } from './retry.ts';
import type { RunningCommands } from './running-commands.ts';

/**
 * While a shell is open, the agent asks the gateway for input at least this often, because the `debug`
 * command that announces input may be lost.
 */
const LOOK_AGAIN_EVERY_MS = 5000;
/** The pause before the agent sends what the last exchange left over. */
const LEFTOVER_PAUSE_MS = 200;
/**
 * The gateway accepts 300 requests of an agent in 10 s. After 120 of them, the agent sends them more slowly.
 */
const WINDOW_MS = 10_000;
const FAST_REQUESTS = 120;
const FAST_PAUSE_MS = 5;
const SLOW_PAUSE_MS = 100;
/** How long the end of the build waits until the gateway has the last output of the shells. */
const CLOSE_LIMIT_MS = 2000;

export interface DebugLinks {
  exchange: (request: DebugExchange) => Promise<DebugWork>;
  commands: RunningCommands;
}

/**
 * The shells of people in a build. The agent sends requests for them only while there are shells, or after
 * the gateway has announced one.
 */
export class DebugSessions {
  readonly #links: DebugLinks;
  readonly #shells = new Map<number, DebugShell>();
  readonly #done = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #mustExchangeAgain = false;
  #loop: Promise<void> | undefined;
  #window = { began: 0, requests: 0 };

  constructor(links: DebugLinks) {
    this.#links = links;
  }

  /**
   * Starts an exchange with the gateway soon, which sends what is new in the shells, and fetches input and
   * new sessions.
   */
  wake(): void {
    this.#mustExchangeAgain = true;
    if (this.#done.signal.aborted) return;
    this.#loop ??= this.#exchangeAll();
  }

  /**
   * Waits until the gateway has the last output of the shells, but at most `CLOSE_LIMIT_MS`. Then ends all
   * shells. Call it when no step runs any more.
   */
  async close(): Promise<void> {
    if (this.#shells.size > 0) this.wake();
    await Promise.race([this.#loop, pauseFor(CLOSE_LIMIT_MS, this.#done.signal)]);
    this.#done.abort();
    clearInterval(this.#timer);
    for (const shell of this.#shells.values()) shell.close();
  }

  async #exchangeAll(): Promise<void> {
    const backOff = gatewayBackOff();
    try {
      while (this.#mustExchangeAgain && !this.#done.signal.aborted) {
        this.#mustExchangeAgain = false;
        await this.#exchange(backOff);
        if (![...this.#shells.values()].some((shell) => shell.hasNews)) continue;
        if (!this.#mustExchangeAgain) await pauseFor(LEFTOVER_PAUSE_MS, this.#done.signal);
        this.#mustExchangeAgain = true;
      }
    } finally {
      // No `await` lies between the last read of `#mustExchangeAgain` and this line, so no call of `wake` is
      // lost.
      this.#loop = undefined;
    }
  }

  async #exchange(backOff: ReturnType<typeof gatewayBackOff>): Promise<void> {
    try {
      const sessions = [...this.#shells.values()].map((shell) => shell.report());
      this.#takeSessions(await this.#links.exchange({ sessions }));
      backOff.reset();
      await pauseFor(this.#pauseMs(), this.#done.signal);
    } catch (error) {
      // No retry can fix a final error, so all shells close.
      if (Error.isError(error) && isFinal(error)) return this.#takeSessions({ sessions: [] });
      this.#mustExchangeAgain = true;
      await pauseFor(backOff.next(), this.#done.signal);
    }
  }

  #takeSessions({ sessions }: DebugWork): void {
    for (const [id, shell] of this.#shells) {
      if (sessions.some((session) => session.id === id)) continue;
      this.#shells.delete(id);
      shell.close();
    }
    for (const session of sessions) {
      const known = this.#shells.get(session.id);
      const shell = known ?? new DebugShell(session, this.#links.commands, () => this.wake());
      this.#shells.set(session.id, shell);
      shell.take(session);
    }
    clearInterval(this.#timer);
    if (this.#shells.size > 0) this.#timer = setInterval(() => this.wake(), LOOK_AGAIN_EVERY_MS);
  }

  #pauseMs(): number {
    const now = performance.now();
    if (now - this.#window.began > WINDOW_MS) this.#window = { began: now, requests: 0 };
    this.#window.requests += 1;
    return this.#window.requests > FAST_REQUESTS ? SLOW_PAUSE_MS : FAST_PAUSE_MS;
  }
}
