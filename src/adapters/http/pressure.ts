import { monitorEventLoopDelay } from 'node:perf_hooks';

const SAMPLE_MS = 1000;
const LONGEST_DELAY_MS = 500;

/**
 * Says when this process answers too slowly to take more: requests refused at once are better than requests that time out. The
 * event loop's delay is looked at once a second.
 */
export function watchPressure(): { overloaded(): string | undefined; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: 50 });
  delay.enable();
  let slow = false;
  const timer = setInterval(() => {
    slow = delay.mean / 1e6 > LONGEST_DELAY_MS;
    delay.reset();
  }, SAMPLE_MS);
  timer.unref();
  return {
    overloaded: () => (slow ? 'Too much to do at once. Try again in a second.' : undefined),
    stop() {
      clearInterval(timer);
      delay.disable();
    },
  };
}
