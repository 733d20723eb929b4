import type { BlockSchema, NestedSchema } from './block-schema.ts';
import { diagnose } from './diagnostic.ts';
import type { Diagnostic } from './diagnostic.ts';
import { pipelineSchema } from './pipeline-schema.ts';
import { didYouMean } from './suggest.ts';
import type { Attribute, Block, Label } from './syntax.ts';

export function explainUnknownAttribute(
  { name, nameRange }: Attribute,
  schema: BlockSchema,
  owner: string,
): Diagnostic {
  const known = Object.keys(schema.attributes);
  const where = owner === '' ? 'at the top of a pipeline' : `in ${owner}`;
  if (schema.shorter?.attribute === name) {
    const message = `${owner} names its ${name} twice: by its labels, and by the attribute ${name}`;
    return diagnose(
      'wrong-labels',
      nameRange,
      message,
      `Write ${owner} "<name of the step>" { ${name} = … }.`,
    );
  }
  const suggestion = didYouMean(name, [...known, ...Object.keys(schema.blocks)]);
  const message = `there is no attribute "${name}" ${where}${suggestion}`;
  return diagnose('unknown-attribute', nameRange, message, listNames('Attributes here', known));
}

export function explainUnknownBlock(
  { type, typeRange, range }: Block,
  schema: BlockSchema,
  owner: string,
): Diagnostic {
  if (Object.hasOwn(schema.attributes, type)) {
    const message = `${type} is an attribute of ${owner}, not a block`;
    return diagnose('attribute-expected', typeRange, message, `Write ${type} = ….`);
  }
  const known = Object.keys(schema.blocks);
  const where = owner === '' ? 'in a pipeline' : `in ${owner}`;
  const reason = schema.misplaced && Object.hasOwn(schema.misplaced, type) && schema.misplaced[type];
  if (typeof reason === 'string' && reason !== '')
    return diagnose('misplaced-block', range, `${type} cannot stand ${where}: ${reason}`);
  const suggestion = didYouMean(type, [...known, ...Object.keys(schema.attributes)]) || sayWhere(type);
  const message = `there is no block "${type}" ${where}${suggestion}`;
  return diagnose('unknown-block', typeRange, message, listNames('Blocks here', known));
}

export function explainUnknownRunner(
  { text, range }: Label,
  common: readonly string[],
  runners: ReadonlySet<string>,
): Diagnostic {
  const known = [...new Set([...common, ...runners])];
  const message = `there is no runner "${text}"${didYouMean(text, known)}`;
  const help = `Use ${known.join(', ')}, or declare it with a runner_type block.`;
  return diagnose('unknown-runner', range, message, help);
}

/** Which block it may stand in, when it exists elsewhere. */
function sayWhere(name: string): string {
  // The first two are enough to find one's way.
  const owners = new Set<string>();
  const seen = new Set<BlockSchema>();
  const look = (owner: string, schema: BlockSchema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const blocks: [string, NestedSchema][] = Object.entries(schema.blocks);
    if (Object.hasOwn(schema.blocks, name)) owners.add(owner);
    for (const [inner, nested] of blocks) look(inner, nested.schema);
    if (schema.unlabelled) look(owner, schema.unlabelled);
    if (schema.shorter) look(owner, schema.shorter.schema);
  };
  look('the pipeline itself', pipelineSchema);
  return owners.size === 0 ? '' : `; it belongs in ${[...owners].slice(0, 2).join(' or ')}`;
}

const listNames = (what: string, names: string[]): string | undefined =>
  names.length === 0 ? undefined : `${what}: ${names.join(', ')}.`;
