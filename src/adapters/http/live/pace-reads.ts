export interface PacedReads {
  /** Requests a read that starts after this call. All calls until then share that read. */
  trigger(): void;
  stop(): void;
}

/**
 * Paces the reads of a live feed from the database. If the previous read started at least `pauseMs` ago, a
 * read starts at once. Otherwise it waits until then. It never starts while another read runs.
 */
export function pacedReads(
  read: () => Promise<void>,
  pauseMs: number,
  failed: (error: unknown) => void,
): PacedReads {
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let triggeredWhileRunning = false;
  let stopped = false;
  let startedAt = -Infinity;

  async function run(): Promise<void> {
    running = true;
    triggeredWhileRunning = false;
    startedAt = performance.now();
    await read().catch(failed);
    running = false;
    if (triggeredWhileRunning) scheduleRun();
  }
  function scheduleRun(): void {
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
      if (running) triggeredWhileRunning = true;
      else scheduleRun();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
