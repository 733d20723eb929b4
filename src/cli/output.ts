import stringWidth from 'string-width';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import { painter, type Paint, type Terminal } from './terminal.ts';

/** Forms for programs. */
export type DataForm = 'json' | 'yaml' | `jsonpath=${string}`;
/** `wide` has more columns than `text`; `name` has a name in each line. */
export type OutputForm = 'text' | 'wide' | 'name' | DataForm;

export interface OutputOptions {
  output: OutputForm;
}

type Render<T> = (data: T, paint: Paint, isWide: boolean) => string;

/** What people and shells see of a result. */
export interface ResultView<T> {
  render: Render<T>;
  /** Names such as `pipeline/main/app`, for the form `name`. */
  names: (data: T) => string[];
}

/** Prints data for programs, or a rendering for people. */
export async function printResult<T>(
  data: T,
  { output }: OutputOptions,
  terminal: Terminal,
  view: ResultView<T> | Render<T>,
): Promise<void> {
  const { render, names } = typeof view === 'function' ? { render: view, names: () => [] } : view;
  if (isDataForm(output)) return await printData(data, output, terminal);
  const text = output === 'name' ? linesOf(names(data)) : render(data, painter(terminal), output === 'wide');
  terminal.out(text);
}

/** Prints data for programs. */
async function printData(data: unknown, form: DataForm, terminal: Terminal): Promise<void> {
  if (form === 'json') return terminal.out(asJson(data));
  if (form === 'yaml') {
    const { asYaml } = await import('./yaml-output.ts');
    return terminal.out(asYaml(data));
  }
  const { fillJsonPath } = await import('./json-path.ts');
  const text = fillJsonPath(form.slice('jsonpath='.length), data);
  terminal.out(terminal.isScreen ? visibleLines(text) : text);
}

export const isDataForm = (form: OutputForm): form is DataForm =>
  form === 'json' || form === 'yaml' || form.startsWith('jsonpath=');

const linesOf = (names: readonly string[]): string =>
  names.map((name) => `${replaceInvisible(name)}\n`).join('');

/**
 * Renders JSON. Also escapes DEL and the C1 control characters, which `JSON.stringify` leaves as they are.
 */
const asJson = (data: unknown): string =>
  `${JSON.stringify(data, undefined, 2).replaceAll(/[\u007f-\u009f]/g, escapeUnicode)}\n`;

/** The escape of a control character in JSON and in YAML's double quotes. */
export const escapeUnicode = (control: string): string =>
  `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Like `replaceInvisible`, but keeps the lines and tabs of the text. */
export const visibleLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(replaceInvisible).join('\t'))
    .join('\n');

export type Cell = string | { text: string; style: Parameters<Paint>[0] };

const COLUMN_GAP = '   ';

/** Columns below their headings. A column that is empty in every row is left out. */
export function renderTable(
  heads: readonly string[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string {
  const columns = heads.flatMap((head, at) => {
    const texts = rows.map((row) => textOf(row[at]));
    if (texts.every((text) => text === '')) return [];
    return [{ at, width: Math.max(...[textOf(head), ...texts].map((text) => stringWidth(text))) }];
  });
  const lineOf = (row: readonly Cell[], isHead: boolean): string => {
    const cells = columns.map(({ at, width }) => {
      const cell = row[at] ?? '';
      const text = textOf(cell);
      const style = isHead ? 'bold' : styleOf(cell);
      const padding = ' '.repeat(width - stringWidth(text));
      return `${style === undefined ? text : paint(style, text)}${padding}`;
    });
    return cells.join(COLUMN_GAP).trimEnd();
  };
  return [lineOf(heads, true), ...rows.map((row) => lineOf(row, false))].map((line) => `${line}\n`).join('');
}

/** Renders a line for each fact that has a value. The values are aligned. */
export function renderFacts(facts: readonly (readonly [name: string, value: Cell])[], paint: Paint): string {
  const lines = facts.flatMap(([name, value]) => {
    const text = textOf(value);
    const style = styleOf(value);
    if (text === '') return [];
    return [`${paint('bold', `${name}:`.padEnd(14))}${style === undefined ? text : paint(style, text)}`];
  });
  return lines.map((line) => `${line}\n`).join('');
}

const textOf = (cell: Cell | undefined): string =>
  replaceInvisible(typeof cell === 'string' ? cell : (cell?.text ?? ''));
const styleOf = (cell: Cell): Parameters<Paint>[0] | undefined =>
  typeof cell === 'string' ? undefined : cell.style;

const MAX_FIELDS_LENGTH = 60;

/** `name=value` pairs, sorted by name and cut to a width that fits a table. */
export function shortFields(fields: Readonly<Record<string, string>> = {}): string {
  const text = Object.entries(fields)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
  return text.length > MAX_FIELDS_LENGTH ? `${text.slice(0, MAX_FIELDS_LENGTH - 1)}…` : text;
}

/** A time of the server in UTC, to the second; empty for undefined. */
export const timeOf = (time: string | undefined): string =>
  time === undefined ? '' : time.replace('T', ' ').replace(/\.\d+Z$/, 'Z');

/** `3.2 s`, `2 m 5 s` or `1 h 12 m`; empty for undefined. */
export function durationOf(nanoseconds: number | undefined): string {
  if (nanoseconds === undefined) return '';
  const seconds = nanoseconds / 1e9;
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} m`;
}

const STATUS_STYLES: Record<string, Parameters<Paint>[0]> = {
  succeeded: 'green',
  failed: 'red',
  cancelled: 'yellow',
  warning: 'yellow',
  started: 'cyan',
  waiting: 'cyan',
};

export const statusCell = (status: string | undefined): Cell => {
  const style = status === undefined ? undefined : STATUS_STYLES[status];
  return style === undefined ? (status ?? '') : { text: status ?? '', style };
};
