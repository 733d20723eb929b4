import type { Block, Body } from '#domain/language/syntax.ts';

/** Blocks whose only label can be a runner. */
const COMMANDS: ReadonlySet<string> = new Set(
  (
    'run check pull push get notify start stop ready_check runner ' +
    'on_success on_failure on_cancel ensure on_trigger'
  ).split(' '),
);

/**
 * The names of the attributes in the blocks that call each runner of the pipeline. Templates of the runner
 * can refer to these names. All other names are left to the program.
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
  const blocks: Block[] = [];
  const pending: Body[] = [body];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const children = next.items.filter((item): item is Block => item.kind === 'block');
    blocks.push(...children);
    pending.push(...children.map((block) => block.body));
  }
  return blocks;
}
