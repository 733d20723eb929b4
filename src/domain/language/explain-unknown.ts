import type { BlockSchema, NestedSchema } from './block-schema.ts';
import { diagnose, type Diagnostic } from './diagnostic.ts';
import { pipelineSchema } from './pipeline-schema.ts';
import { closestName, didYouMean } from './suggest.ts';
import { synonymOf } from './synonyms.ts';
import type { Attribute, Block, Label } from './syntax.ts';

/**
 * The diagnostic for an attribute that its block does not have. `owner`: the type of the block; empty at the
 * top level.
 */
export function explainUnknownAttribute(
  { name, nameRange }: Attribute,
  schema: BlockSchema,
  owner: string,
): Diagnostic {
  const known = Object.keys(schema.attributes);
  if (schema.shorter?.attribute === name) {
    const message = `${owner} names its ${name} twice: by its labels, and by the attribute ${name}`;
    return diagnose(
      'wrong-labels',
      nameRange,
      message,
      `Write ${owner} "<name of the step>" { ${name} = … }.`,
    );
  }
  const noSuchAttribute = `there is no attribute "${name}" ${whereIs(owner)}`;
  const synonym = synonymOf(name, owner);
  if (synonym)
    return diagnose(
      'unknown-attribute',
      nameRange,
      `${noSuchAttribute}; ${meansHere(synonym.name)}`,
      synonym.help,
    );
  const suggestion = didYouMean(name, [...known, ...Object.keys(schema.blocks)]);
  const elsewhere =
    suggestion === '' ? (explainRunner(name, schema, owner) ?? explainNested(name, schema)) : undefined;
  if (elsewhere)
    return diagnose(
      'unknown-attribute',
      nameRange,
      `${noSuchAttribute}; ${elsewhere.message}`,
      elsewhere.help,
    );
  const message = `${noSuchAttribute}${suggestion || suggestOwners(name, true)}`;
  return diagnose('unknown-attribute', nameRange, message, listNames('Attributes here', known));
}

/** Where a name is used, as part of a sentence. */
export const whereIs = (owner: string): string => (owner === '' ? 'at the top of a pipeline' : `in ${owner}`);

const meansHere = (name: string): string => `here that is ${name}`;

/** Says where an attribute belongs. */
interface BelongsElsewhere {
  message: string;
  help: string;
}

/**
 * Explains that the attribute belongs to another runner. Undefined: it belongs to no runner. A schema without
 * labels is for a block that names no runner.
 */
function explainRunner(
  name: string,
  { labels, variants = {} }: BlockSchema,
  owner: string,
): BelongsElsewhere | undefined {
  const runners = Object.entries(variants).flatMap(([runner, { attributes }]) =>
    Object.hasOwn(attributes, name) ? [runner] : [],
  );
  const [runner] = runners;
  if (runner === undefined) return undefined;
  const help = `Write ${owner} "${runner}" { ${name} = … }.`;
  return labels.length === 0
    ? { message: 'it belongs to a command', help }
    : { message: `it belongs to the runner ${runners.join(' or ')}`, help };
}

/** Explains that the attribute belongs in a nested block. Undefined if no nested block accepts it. */
function explainNested(name: string, schema: BlockSchema): BelongsElsewhere | undefined {
  const [block, variant] = commandWithAttribute(name, schema) ?? [];
  if (block !== undefined)
    return { message: `it belongs in ${block}`, help: `Write ${block} "${variant}" { ${name} = … }.` };
  // A get, which has the attribute `passed`, takes params only if its type has a protocol. So they are not
  // suggested.
  if (!Object.hasOwn(schema.blocks, 'params') || Object.hasOwn(schema.attributes, 'passed')) return undefined;
  if (!Object.hasOwn(attributesOfGet(), name))
    return { message: 'a parameter belongs in params', help: `Write params { ${name} = … }.` };
  const help = `Write it in a get of a job. If the type has a parameter of this name, write params { ${name} = … }.`;
  return { message: 'it belongs in get', help };
}

const attributesOfGet = (): BlockSchema['attributes'] =>
  pipelineSchema.blocks['job']?.schema.blocks['get']?.schema.attributes ?? {};

/**
 * A nested block that is a command and allows the attribute, and the first of its runners that does.
 * Undefined: there is none. A command that can occur several times does not count.
 */
export function commandWithAttribute(
  name: string,
  { blocks }: BlockSchema,
): [block: string, variant: string] | undefined {
  const nested: [string, NestedSchema][] = Object.entries(blocks);
  for (const [block, { schema, once }] of nested) {
    const variants = Object.entries(schema.variants ?? {});
    const [variant] = variants.find(([, { attributes }]) => Object.hasOwn(attributes, name)) ?? [];
    if (variant !== undefined && once === true) return [block, variant];
  }
  return undefined;
}

/**
 * The diagnostic for a block that is not allowed in `owner`, the type of the block around it; empty at the
 * top level.
 */
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
    return diagnose('misplaced-block', range, `${type} is not allowed ${where}: ${reason}`);
  const synonym = synonymOf(type, owner);
  if (synonym && !Object.hasOwn(schema.attributes, type)) {
    const message = `there is no block "${type}" ${where}; ${meansHere(synonym.name)}`;
    return diagnose('unknown-block', typeRange, message, synonym.help);
  }
  const suggestion =
    didYouMean(type, [...known, ...Object.keys(schema.attributes)]) || suggestOwners(type, false);
  const message = `there is no block "${type}" ${where}${suggestion}`;
  return diagnose('unknown-block', typeRange, message, listNames('Blocks here', known));
}

/** The diagnostic for a label that names no runner. */
export function explainUnknownRunner(
  { text, range }: Label,
  builtIn: readonly string[],
  declared: ReadonlySet<string>,
): Diagnostic {
  const known = [...new Set([...builtIn, ...declared])];
  const message = `there is no runner "${text}"${didYouMean(text, known)}`;
  const help = `Use ${known.join(', ')}, or declare it with a runner_type block.`;
  return diagnose('unknown-runner', range, message, help);
}

/**
 * Whether an unknown name is certainly meant for this block: it is a misspelt name, or an attribute without
 * its equals sign. After a syntax error, any other name may belong to another block, because the parser may
 * have lost the brace between the blocks.
 */
export function isMeantHere(
  name: string,
  isAttribute: boolean,
  { attributes, blocks }: BlockSchema,
): boolean {
  if (!isAttribute && Object.hasOwn(attributes, name)) return true;
  if (suggestOwners(name, isAttribute) !== '') return false;
  return closestName(name, [...Object.keys(attributes), ...Object.keys(blocks)]) !== undefined;
}

/**
 * The end of a message that names up to two blocks that allow the attribute or block. Empty: no block does.
 */
function suggestOwners(name: string, isAttribute: boolean): string {
  const owners = new Set<string>();
  const seen = new Set<BlockSchema>();
  const visit = (owner: string, schema: BlockSchema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const blocks: [string, NestedSchema][] = Object.entries(schema.blocks);
    if (Object.hasOwn(isAttribute ? schema.attributes : schema.blocks, name)) owners.add(owner);
    for (const [inner, nested] of blocks) visit(inner, nested.schema);
    if (schema.unlabelled) visit(owner, schema.unlabelled);
    if (schema.shorter) visit(owner, schema.shorter.schema);
  };
  visit('the pipeline itself', pipelineSchema);
  return owners.size === 0 ? '' : `; it belongs in ${[...owners].slice(0, 2).join(' or ')}`;
}

const listNames = (heading: string, names: string[]): string | undefined =>
  names.length === 0 ? undefined : `${heading}: ${names.join(', ')}.`;
