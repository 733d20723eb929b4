import { diff } from 'node:util';
import type { Paint } from '#cli/terminal.ts';
import { visible } from '#domain/graph/measure-label.ts';
import type { DefinitionJson, PipelineUpdate } from './response-types.ts';

/** Unchanged lines that are shown around each change. */
const AROUND = 3;
/** Longer texts are shown as replaced, not compared line by line. */
const MAX_LINES = 1000;

/** What an update will change. */
export interface Change {
  /** A sentence each, without values of variables: they may be long, and others may read the output. */
  settings: string[];
  /** Changed lines of the text; empty if it stays. */
  lines: DiffLine[];
}

interface DiffLine {
  mark: ' ' | '+' | '-' | '…';
  text: string;
}

export function changesOf(known: DefinitionJson, wanted: PipelineUpdate): Change {
  const { config = known.config, vars = known.vars } = wanted;
  return {
    settings: [
      ...setting('display name', known.display_name ?? '', wanted.display_name),
      ...setting('public', String(known.public ?? false), wanted.public?.toString()),
      ...Object.keys({ ...known.vars, ...vars })
        .toSorted()
        .flatMap((name) => variable(name, known.vars[name], vars[name])),
    ],
    lines: config === known.config ? [] : compare(known.config, config),
  };
}

function setting(name: string, before: string, after: string | undefined): string[] {
  return after === undefined || before === after ? [] : [`${name}: ${shown(before)} → ${shown(after)}`];
}

const shown = (value: string): string => (value === '' ? 'none' : visible(value));

function variable(name: string, before: string | undefined, after: string | undefined): string[] {
  if (before === after) return [];
  const verb = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return [`variable ${visible(name)}: ${verb}`];
}

/** Like `diff -u`. */
function compare(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  const same = commonStart(old, fresh);
  const tail = commonStart(old.slice(same).toReversed(), fresh.slice(same).toReversed());
  const gone = old.slice(same, old.length - tail);
  const come = fresh.slice(same, fresh.length - tail);
  return shorten([
    ...nearby(old.slice(0, same)),
    ...between(gone, come),
    ...nearby(old.slice(old.length - tail)),
  ]);
}

const nearby = (lines: string[]): DiffLine[] => lines.map((text) => ({ mark: ' ', text }));

function between(gone: string[], come: string[]): DiffLine[] {
  if (Math.max(gone.length, come.length) > MAX_LINES)
    return [
      { mark: '-', text: `(${gone.length} lines)` },
      { mark: '+', text: `(${come.length} lines)` },
    ];
  return diff(gone, come).map(([side, text]) => ({ mark: side === 0 ? ' ' : side === 1 ? '-' : '+', text }));
}

function commonStart(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((line, index) => line !== other[index]);
  return at < 0 ? one.length : at;
}

/** Leaves out lines far from any change. */
function shorten(lines: DiffLine[]): DiffLine[] {
  const changed = lines.flatMap(({ mark }, at) => (mark === ' ' ? [] : [at]));
  const near = new Set(
    changed.flatMap((at) => Array.from({ length: 2 * AROUND + 1 }, (_, step) => at - AROUND + step)),
  );
  return lines.flatMap((line, at): DiffLine[] => {
    if (near.has(at)) return [line];
    return near.has(at - 1) || at === 0 ? [{ mark: '…', text: '' }] : [];
  });
}

const STYLES = { '+': 'green', '-': 'red', '…': 'gray' } as const;

export function renderChange({ settings, lines }: Change, paint: Paint): string {
  const sentences = [
    ...settings.map((sentence) => `  ${sentence}`),
    ...lines.map(({ mark, text }) => {
      const line = `  ${mark} ${text.split('\t').map(visible).join('\t')}`.trimEnd();
      return mark === ' ' ? line : paint(STYLES[mark], line);
    }),
  ];
  return sentences.length === 0 ? '' : `${sentences.join('\n')}\n`;
}
