import { labelAt, stringAt } from '#domain/language/block-values.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Label } from '#domain/language/syntax.ts';

/**
 * The resource or notification of a step as `<type>.<label>`: from the attribute `resource`, or from the two
 * labels of the step.
 */
export function targetOf(block: ReadBlock): Label {
  const { labels, range } = block;
  if (labels.length < 2) return stringAt(block, 'resource') ?? { text: '', range };
  const [type, name] = [labelAt(block, 0), labelAt(block, 1)];
  return { text: `${type.text}.${name.text}`, range: { start: type.range.start, end: name.range.end } };
}

/** The name of a step: its last label, or the label of its resource if the step has no label. */
export function stepName(block: ReadBlock): Label {
  const label = block.labels.at(-1);
  if (label) return label;
  const { text, range } = targetOf(block);
  return { text: text.slice(text.indexOf('.') + 1), range };
}
