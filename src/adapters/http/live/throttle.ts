export interface Throttled {
  /** Runs the work soon; however often it is called, at most once per pause. */
  trigger(): void;
  stop(): void;
}

/**
 * Throttles work: it runs at once after a quiet time, then at most once in `pauseMs`, and never concurrently.
 */
export function throttled(
  work: () => Promise<void>,
  pauseMs: number,
  failed: (error: unknown) => void,
): Throttled {
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let again = false;
  let stopped = false;
  let startedAt = -Infinity;

  async function run(): Promise<void> {
    running = true;
    again = false;
    startedAt = performance.now();
    await work().catch(failed);
    running = false;
    if (again) plan();
  }
  function plan(): void {
    if (stopped || timer !== undefined) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        if (!stopped) void run();
      },
      Math.max(0, startedAt + pauseMs - performance.now()),
    );
  }
  return {
    trigger() {
      if (running) again = true;
      else plan();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
