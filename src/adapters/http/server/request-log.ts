import type { FastifyBaseLogger } from 'fastify';

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/**
 * The log of one request, whose lines carry its id. Most requests say nothing through it, so the logger
 * behind it is made for the first line.
 */
export class RequestLog implements FastifyBaseLogger {
  readonly #whole: FastifyBaseLogger;
  readonly #bindings: Record<string, unknown>;
  #own: FastifyBaseLogger | undefined;

  constructor(whole: FastifyBaseLogger, bindings: Record<string, unknown>) {
    this.#whole = whole;
    this.#bindings = bindings;
  }

  get level(): string {
    return this.#whole.level;
  }

  child(...made: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#made().child(...made);
  }

  fatal(...said: unknown[]): void {
    this.#say('fatal', said);
  }

  error(...said: unknown[]): void {
    this.#say('error', said);
  }

  warn(...said: unknown[]): void {
    this.#say('warn', said);
  }

  info(...said: unknown[]): void {
    this.#say('info', said);
  }

  debug(...said: unknown[]): void {
    this.#say('debug', said);
  }

  trace(...said: unknown[]): void {
    this.#say('trace', said);
  }

  silent(): void {
    // Says nothing, as its name says.
  }

  #made(): FastifyBaseLogger {
    return (this.#own ??= this.#whole.child(this.#bindings));
  }

  #say(level: Level, said: unknown[]): void {
    const log = this.#made();
    Reflect.apply(log[level], log, said);
  }
}
