import { diff } from 'node:util';
import type { Paint } from '#cli/terminal.ts';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import type { DefinitionJson, PipelineUpdate } from './response-types.ts';

/** How many unchanged lines are shown before and after each change. */
const CONTEXT_LINES = 3;
/**
 * If a changed part has more lines, only the numbers of removed and added lines are shown, because comparing
 * the lines would take too long.
 */
const MAX_LINES = 1000;

/** What an update will change. */
export interface Change {
  /**
   * A sentence for each changed setting. Values of variables are left out: they may be long, and others may
   * read the output.
   */
  settings: string[];
  /** Changed lines of the text; empty if the text stays the same. */
  lines: DiffLine[];
}

interface DiffLine {
  mark: ' ' | '+' | '-' | '…';
  text: string;
}

export function changesOf(current: DefinitionJson, update: PipelineUpdate): Change {
  const { config = current.config, vars = current.vars } = update;
  return {
    settings: [
      ...settingChange('display name', current.display_name ?? '', update.display_name),
      ...settingChange('public', String(current.public ?? false), update.public?.toString()),
      ...Object.keys({ ...current.vars, ...vars })
        .toSorted()
        .flatMap((name) => variableChange(name, current.vars[name], vars[name])),
    ],
    lines: config === current.config ? [] : compareLines(current.config, config),
  };
}

function settingChange(name: string, before: string, after: string | undefined): string[] {
  return after === undefined || before === after
    ? []
    : [`${name}: ${displayed(before)} → ${displayed(after)}`];
}

const displayed = (value: string): string => (value === '' ? 'none' : replaceInvisible(value));

function variableChange(name: string, before: string | undefined, after: string | undefined): string[] {
  if (before === after) return [];
  const verb = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return [`variable ${replaceInvisible(name)}: ${verb}`];
}

/** Like `diff -u`, without its headers. */
function compareLines(before: string, after: string): DiffLine[] {
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')];
  const sameAtStart = commonStart(oldLines, newLines);
  const sameAtEnd = commonStart(
    oldLines.slice(sameAtStart).toReversed(),
    newLines.slice(sameAtStart).toReversed(),
  );
  const removed = oldLines.slice(sameAtStart, oldLines.length - sameAtEnd);
  const added = newLines.slice(sameAtStart, newLines.length - sameAtEnd);
  return shorten([
    ...unchangedLines(oldLines.slice(0, sameAtStart)),
    ...changedLines(removed, added),
    ...unchangedLines(oldLines.slice(oldLines.length - sameAtEnd)),
  ]);
}

const unchangedLines = (lines: string[]): DiffLine[] => lines.map((text) => ({ mark: ' ', text }));

function changedLines(removed: string[], added: string[]): DiffLine[] {
  if (Math.max(removed.length, added.length) > MAX_LINES)
    return [
      { mark: '-', text: `(${removed.length} lines)` },
      { mark: '+', text: `(${added.length} lines)` },
    ];
  return diff(removed, added).map(([sign, text]) => ({ mark: markOf(sign), text }));
}

/** The mark for the sign that `diff` of node:util gives: 1 for removed, -1 for added, 0 for unchanged. */
function markOf(sign: number): DiffLine['mark'] {
  if (sign === 0) return ' ';
  return sign === 1 ? '-' : '+';
}

/** How many lines are the same at the start of both lists. */
function commonStart(lines: readonly string[], otherLines: readonly string[]): number {
  const at = lines.findIndex((line, index) => line !== otherLines[index]);
  return at < 0 ? lines.length : at;
}

/** Replaces each run of lines far from any change with one `…`. */
function shorten(lines: DiffLine[]): DiffLine[] {
  const near = new Set<number>();
  for (const [at, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    for (let index = at - CONTEXT_LINES; index <= at + CONTEXT_LINES; index += 1) near.add(index);
  }
  return lines.flatMap((line, at): DiffLine[] => {
    if (near.has(at)) return [line];
    return near.has(at - 1) || at === 0 ? [{ mark: '…', text: '' }] : [];
  });
}

const STYLES = { '+': 'green', '-': 'red', '…': 'gray' } as const;

export function renderChange({ settings, lines }: Change, paint: Paint): string {
  const rendered = [
    ...settings.map((sentence) => `  ${sentence}`),
    ...lines.map(({ mark, text }) => {
      const line = `  ${mark} ${text.split('\t').map(replaceInvisible).join('\t')}`.trimEnd();
      return mark === ' ' ? line : paint(STYLES[mark], line);
    }),
  ];
  return rendered.length === 0 ? '' : `${rendered.join('\n')}\n`;
}
