import { defined } from '#defined';
import { blocksOf } from '#domain/language/block-values.ts';
import type { BlockReader } from '#domain/language/evaluate-expression.ts';
import { pipelineSchema } from '#domain/language/pipeline-schema.ts';
import { readBody, type ReadBlock } from '#domain/language/read-block.ts';
import type { Body } from '#domain/language/syntax.ts';
import type { SecretBlock } from './secrets.ts';
import type { Variables } from './variables.ts';

/** The secret blocks of all variables, with all variables in scope. */
export function readSecretBlocks(
  body: Body,
  variables: Variables,
  reader: BlockReader,
): (SecretBlock & { owner: ReadBlock })[] {
  const secret = pipelineSchema.blocks['variable']?.schema.blocks['secret'];
  const schema = { labels: ['name'], attributes: {}, blocks: defined({ secret }) };
  return body.items.flatMap((item) => {
    if (item.kind !== 'block' || item.type !== 'variable') return [];
    const items = item.body.items.filter((inner) => inner.kind === 'block' && inner.type === 'secret');
    if (items.length === 0) return [];
    const owner = { name: 'variable', range: item.range };
    const content = readBody(reader, { ...item.body, items }, schema, owner);
    const read: ReadBlock = { type: 'variable', labels: item.labels, range: item.range, ...content };
    const variable = item.labels[0]?.text ?? '';
    return blocksOf(read, 'secret').map((block) => ({
      variable,
      block,
      overridden: !variables.secret.has(variable),
      owner: read,
    }));
  });
}
