import type { Block, Body } from '#domain/language/syntax.ts';

/** Blocks whose only label can be a runner. */
const COMMANDS: ReadonlySet<string> = new Set(
  (
    'run check pull push get notify start stop ready_check runner ' +
    'on_success on_failure on_cancel ensure on_trigger'
  ).split(' '),
);

/**
 * Attributes of the blocks that call a runner of the pipeline, by its name: the names that a template of the
 * runner can mean. All others are left to the program.
 */
export function attributesOfCallers(
  body: Body,
  runners: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const callers = new Map([...runners].map((name) => [name, new Set<string>()]));
  if (callers.size === 0) return callers;
  for (const { type, labels, body: inner } of blocksIn(body)) {
    const [runner] = labels;
    const names = labels.length === 1 && COMMANDS.has(type) && runner && callers.get(runner.text);
    if (!names) continue;
    for (const item of inner.items) if (item.kind === 'attribute') names.add(item.name);
  }
  return callers;
}

function blocksIn(body: Body): Block[] {
  const found: Block[] = [];
  const open: Body[] = [body];
  for (let next = open.pop(); next; next = open.pop()) {
    const blocks = next.items.filter((item): item is Block => item.kind === 'block');
    found.push(...blocks);
    open.push(...blocks.map((block) => block.body));
  }
  return found;
}
