import type { AttributeSchema, BlockSchema, NestedSchema } from './block-schema.ts';
import { diagnose, type Diagnostic } from './diagnostic.ts';
import type { BlockReader } from './evaluate-expression.ts';
import type { Block, Range } from './syntax.ts';

/** For messages about a block: its name, and the range of its header. */
export type Owner = { name: string; range: Range };

/** Whether the block has the labels that its schema requires. If not, reports an error. */
export function checkLabels(reader: BlockReader, block: Block, schema: BlockSchema): boolean {
  if (block.labels.length === schema.labels.length) return true;
  if (schema.optionalLabels === true && block.labels.length === 0) return true;
  // `schema.shorter` allows fewer labels if the block has a certain attribute. In a text with syntax errors,
  // the parser may have lost that attribute, so missing labels are not reported.
  if (!reader.partial || !schema.shorter) reader.report(explainLabels(block, schema));
  return false;
}

function explainLabels(block: Block, schema: BlockSchema): Diagnostic {
  if (block.type === 'else' && block.labels[0]?.text === 'if') {
    const message = 'else if is written as one word';
    return diagnose('wrong-labels', block.range, message, 'Write else_if "<condition>" { … }.');
  }
  const example = [block.type, ...schema.labels.map((label) => `"<${label}>"`)].join(' ');
  const expected = schema.labels.length === 0 ? 'no label' : schema.labels.join(' and ');
  const range = block.labels[schema.labels.length]?.range ?? block.range;
  const message =
    `${block.type} takes ${expected}, ` +
    `but there ${block.labels.length === 1 ? 'is 1 label' : `are ${block.labels.length} labels`}`;
  return diagnose('wrong-labels', range, message, `Write ${example} { … }.`);
}

/** Reports required attributes and blocks whose names are not in `written`, the names that the text has. */
export function reportMissing(
  reader: BlockReader,
  schema: BlockSchema,
  owner: Owner,
  written: ReadonlySet<string>,
): void {
  for (const [name, attribute] of entries<AttributeSchema>(schema.attributes)) {
    if (attribute.required === true && !written.has(name))
      reportMissingAttribute(reader, name, owner.range, owner.name);
  }
  for (const [name, nested] of entries<NestedSchema>(schema.blocks)) {
    if (nested.required !== true || written.has(name)) continue;
    reader.report(diagnose('missing-block', owner.range, `${owner.name} needs a block ${name}`));
  }
}

export function reportMissingAttribute(
  { report }: BlockReader,
  name: string,
  range: Range,
  owner: string,
): void {
  report(diagnose('missing-attribute', range, `${owner} needs ${name}`));
}

const entries = <Entry>(record: Readonly<Record<string, Entry>>): [string, Entry][] => Object.entries(record);
