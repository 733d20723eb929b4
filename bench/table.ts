import { cpus, loadavg } from 'node:os';

/** A table for terminals that is also valid Markdown. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Time, version of Node, processor and load of the machine, without which figures cannot be compared. */
export function circumstances(): string {
  const [processor] = cpus();
  const load = loadavg().map((value) => value.toFixed(1));
  return (
    `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} cores ` +
    `(${processor?.model.trim() ?? 'unknown'}), load ${load.join(' ')}`
  );
}

/**
 * The number after the flag `--<name>`, or `defaultValue` if the flag is absent. Throws if it is not a whole
 * number ≥ `min`.
 */
export function numberFlag(name: string, defaultValue: number, min = 1): number {
  const index = process.argv.indexOf(`--${name}`);
  const value = index === -1 ? defaultValue : Number(process.argv[index + 1]);
  if (!Number.isInteger(value) || value < min)
    throw new Error(`--${name} must be a whole number from ${min} on.`);
  return value;
}
