import { clock } from '#tools/demo/screen.ts';

const EVERY_MS = 30_000;

/** Prints every 30 s how long the work has taken: some programs print nothing until they end. */
export async function withProgress<T>(
  label: string,
  work: () => Promise<T>,
  print: (line: string) => void = console.log,
): Promise<T> {
  const started = performance.now();
  const timer = setInterval(
    () => print(`${label}: still running, ${clock(performance.now() - started)}`),
    EVERY_MS,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
