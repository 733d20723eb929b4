/**
 * Returns a function that takes inputs for a task. The task runs with the newest input once no other input
 * has come for `waitMs`, or for the `wait` of that input. It never runs twice at once: after a run, it takes
 * the newest input that came meanwhile.
 */
export function runLatest<Input>(
  task: (input: Input) => Promise<void>,
  waitMs: number,
): (input: Input, wait?: number) => void {
  let next: { input: Input } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  const run = async (): Promise<void> => {
    timer = undefined;
    if (isRunning || next === undefined) return;
    const { input } = next;
    next = undefined;
    isRunning = true;
    try {
      await task(input);
    } finally {
      isRunning = false;
      // An input that came meanwhile still waits, or has waited long enough.
      if (next !== undefined && timer === undefined) schedule(0);
    }
  };
  const schedule = (wait: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void run(), wait);
  };
  return (input, wait = waitMs) => {
    next = { input };
    schedule(wait);
  };
}
