import { replaceInvisible } from '#domain/graph/measure-label.ts';
import type { Paint } from './terminal.ts';

/** A line with lines below it. */
export interface Tree {
  /** The first word of the line: `task`, `on_failure`. */
  kind: string;
  name?: string;
  /** Short details. */
  facts?: string[];
  children?: Tree[];
}

export function renderTree(tree: Tree, paint: Paint): string {
  return `${[lineOf(tree, paint), ...branches(tree.children ?? [], '', paint)].join('\n')}\n`;
}

function branches(children: readonly Tree[], indent: string, paint: Paint): string[] {
  return children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    return [
      paint('dim', `${indent}${isLast ? '└─ ' : '├─ '}`) + lineOf(child, paint),
      ...branches(child.children ?? [], `${indent}${isLast ? '   ' : '│  '}`, paint),
    ];
  });
}

function lineOf({ kind, name, facts = [] }: Tree, paint: Paint): string {
  const words = [paint('bold', kind), ...(name === undefined ? [] : [paint('cyan', replaceInvisible(name))])];
  return (
    words.join(' ') + (facts.length === 0 ? '' : paint('dim', `  ${facts.map(replaceInvisible).join(' · ')}`))
  );
}
