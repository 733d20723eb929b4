/** A job in HCL with a step per command. The steps run in the worker image and the given images in turn. */
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

/** Sorts the times and returns the differences between consecutive ones. */
export function gapsBetween(times: readonly number[]): number[] {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted.slice(1).map((time, index) => time - (sorted[index] ?? Number.NaN));
}

/**
 * Converts what `date +%s%N` printed to milliseconds since 1970, exact to the microsecond. A BigInt does the
 * division, because a number cannot hold that many nanoseconds exactly.
 */
export function millisecondsOf(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1000n) / 1000;
}
