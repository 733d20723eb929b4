import { onOneLine, type Diagnostic } from './diagnostic.ts';
import { pipelineSchema } from './pipeline-schema.ts';
import type { Block, Body, Range } from './syntax.ts';

/**
 * The types of nested blocks that a diagnostic names. An error in another nested block, such as `run` or a
 * hook, is reported under the nearest of these blocks around it.
 */
const NAMED_INSIDE: ReadonlySet<string> = new Set([
  'get',
  'task',
  'put',
  'notify',
  'service',
  'approve',
  'input',
  'check',
  'pull',
  'push',
  'start',
  'stop',
  'ready_check',
]);

/** Adds the names of the enclosing blocks to each diagnostic that has a range. */
export function nameBlocks(diagnostics: readonly Diagnostic[], body: Body): Diagnostic[] {
  return diagnostics.map((diagnostic) => {
    const { range } = diagnostic;
    const blocks = range ? namedBlocksAround(range, body) : [];
    return blocks.length === 0 ? diagnostic : { ...diagnostic, blocks: blocks.map(nameOf) };
  });
}

/**
 * The blocks around `place` that a diagnostic names: the top-level block, and the innermost block whose type
 * is in `NAMED_INSIDE`. A block is left out if it has no labels, or if `place` is in its labels.
 */
function namedBlocksAround(place: Range, body: Body): Block[] {
  const path: Block[] = [];
  for (let block = blockAt(place, body); block; block = blockAt(place, block.body)) path.push(block);
  const [first, ...inside] = path;
  const top = first && Object.hasOwn(pipelineSchema.blocks, first.type) ? first : undefined;
  const inner = inside.findLast(({ type }) => NAMED_INSIDE.has(type));
  return [top, inner].filter((block) => block !== undefined).filter((block) => hasNameOutside(place, block));
}

function blockAt(place: Range, { items }: Body): Block | undefined {
  const blocks = items.filter((item) => item.kind === 'block');
  return blocks.find(({ range, body }) => contains({ start: range.start, end: body.range.end }, place));
}

const contains = (outer: Range, { start, end }: Range): boolean =>
  outer.start.byte <= start.byte && start.byte < outer.end.byte && end.byte <= outer.end.byte;

/** Whether the block has labels and the place is not in them. */
function hasNameOutside(place: Range, { labels }: Block): boolean {
  const [first, last] = [labels.at(0), labels.at(-1)];
  return !!first && !!last && !contains({ start: first.range.start, end: last.range.end }, place);
}

const MAX_LABEL_LENGTH = 60;

/** The type and labels of the block as in the text: `put "git" "app"`. */
function nameOf({ type, labels }: Block): string {
  return onOneLine([type, ...labels.map(({ text }) => JSON.stringify(cut(text)))].join(' '));
}

const cut = (text: string): string =>
  text.length > MAX_LABEL_LENGTH ? `${text.slice(0, MAX_LABEL_LENGTH)}…`.toWellFormed() : text;
