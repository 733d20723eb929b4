/**
 * A job in HCL with a step per command. The steps alternate between the worker image and the given images.
 */
export function stepsJob(name: string, commands: readonly string[], images: readonly string[] = []): string {
  const runners = [
    (cmd: string): string => `run "shell" {\n      cmd = "${cmd}"\n    }`,
    ...images.map(
      (image) => (cmd: string) => `run "docker" {\n      image = "${image}"\n      cmd   = "${cmd}"\n    }`,
    ),
  ];
  const tasks = commands.map((cmd, index) => {
    const run = runners[index % runners.length]?.(cmd) ?? '';
    return `  task "step-${index + 1}" {\n    ${run}\n  }\n`;
  });
  return `job "${name}" {\n${tasks.join('')}}\n`;
}

/** The times that `date +%s%N` printed in a log, in milliseconds. */
export function timesIn(log: string): number[] {
  return [...log.matchAll(/^(\d{19})$/gm)].map(([, time = '0']) => millisecondsOf(time));
}

/** The differences between consecutive times. */
export function gapsBetween(times: readonly number[]): number[] {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted.slice(1).map((time, index) => time - (sorted[index] ?? Number.NaN));
}

/**
 * Milliseconds since 1970 of what `date +%s%N` printed. A Number cannot hold as many nanoseconds exactly, so
 * they become microseconds as a BigInt first.
 */
export function millisecondsOf(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1000n) / 1000;
}
