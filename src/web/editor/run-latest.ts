/**
 * Returns a function that passes inputs to a task. It runs the task with the newest input after `waitMs`
 * without another input, or after the `wait` that comes with the newest input. It never runs the task twice
 * at once: an input that arrives during a run waits for the end of that run.
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
      // Without a timer, an input that arrived during the run has waited long enough.
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
