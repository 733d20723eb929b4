import type { PlanContainer } from '#domain/planning/plan.ts';

/**
 * Assigns the containers of a Pod to steps. Each of the steps that run in parallel takes a container from the
 * pool of its image. Steps that wait get theirs in the order in which they asked.
 */
export class Lanes {
  readonly #free = new Map<string, string[]>();
  readonly #waiting = new Map<string, ((container: string) => void)[]>();

  constructor(containers: readonly PlanContainer[]) {
    for (const { name, pool = name } of containers) {
      this.#free.set(pool, [...(this.#free.get(pool) ?? []), name]);
    }
  }

  /**
   * Resolves with the name of a container once one of the pool is free, or with undefined if `stop` aborts
   * first. Resolves with `pool` itself if the plan has no such pool: then the command fails, because the Pod
   * has no such container.
   */
  async take(pool: string, stop: AbortSignal): Promise<string | undefined> {
    if (stop.aborted) return undefined;
    const free = this.#free.get(pool);
    if (free === undefined) return pool;
    const next = free.shift();
    if (next !== undefined) return next;
    return await new Promise((resolve) => {
      const waiting = this.#waiting.get(pool) ?? [];
      this.#waiting.set(pool, waiting);
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(take), 1);
        resolve(undefined);
      };
      const take = (container: string): void => {
        stop.removeEventListener('abort', giveUp);
        resolve(container);
      };
      waiting.push(take);
      stop.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Returns a container to its pool, or passes it to the step that has waited longest. */
  give(pool: string, container: string): void {
    const next = this.#waiting.get(pool)?.shift();
    if (next) next(container);
    else this.#free.get(pool)?.push(container);
  }
}
