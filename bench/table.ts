import { cpus, loadavg } from 'node:os';

/** A table for a terminal that Markdown reads too. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Where and when the figures were taken: without it they say little. */
export function circumstances(): string {
  const [processor] = cpus();
  const load = loadavg().map((value) => value.toFixed(1));
  return `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} cores (${processor?.model.trim() ?? 'unknown'}), load ${load.join(' ')}`;
}

/** The number after `--name`, or the value for a run without it. */
export function numberFlag(name: string, otherwise: number): number {
  const at = process.argv.indexOf(`--${name}`);
  const value = at === -1 ? otherwise : Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} wants a whole number from 1 on.`);
  return value;
}
