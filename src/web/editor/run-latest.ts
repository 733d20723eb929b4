/**
 * Runs a task for the newest input once no other has come for a time: never two at once, and for inputs that
 * come meanwhile only the newest, after it. Returns what takes an input; the wait may be another one.
 */
export function runLatest<Input>(
  task: (input: Input) => Promise<void>,
  waitMs: number,
): (input: Input, wait?: number) => void {
  let next: { input: Input } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  const run = async (): Promise<void> => {
    if (isRunning || next === undefined) return;
    const { input } = next;
    next = undefined;
    isRunning = true;
    try {
      await task(input);
    } finally {
      isRunning = false;
      if (next !== undefined) schedule(waitMs);
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
