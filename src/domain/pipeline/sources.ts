import { defined } from '#defined';
import { stringAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { closestName, didYouMean } from '#domain/language/suggest.ts';
import { readBuiltIn } from './built-in-definitions.ts';
import { builtInSource } from './built-in-source.ts';
import type { CompileContext } from './compile-context.ts';
import { readDefinition } from './definition-text.ts';
import { LIMITS } from './limits.ts';
import type { FoundDefinition, TypeKind } from './type-kinds.ts';

/** How the definition was reached, and how its own source is read. */
interface SourceChain<Definition> {
  /** The sources that led here. */
  chain: readonly string[];
  /** Reads a block from a source, which can have a source itself. */
  follow: (
    block: ReadBlock,
    context: CompileContext,
    chain: readonly string[],
  ) => FoundDefinition<Definition> | undefined;
}

/** Reads the definition that the `source` of a block names. */
export function readSourced<Definition extends object>(
  kind: TypeKind<Definition>,
  block: ReadBlock,
  context: CompileContext,
  sourceChain: SourceChain<Definition>,
): FoundDefinition<Definition> | undefined {
  const ownItem = findOwnItem(kind, block);
  if (ownItem) {
    const message = `source and ${ownItem.name} cannot be used together: the definition at the source has its own`;
    context.report(diagnose('source-with-commands', ownItem.range, message));
  }
  const source = stringAt(block, 'source');
  if (!source || !checkSource(source, kind, context.report)) return undefined;
  const definition = findDefinition(kind, { source, block }, context, sourceChain);
  if (ownItem || !definition) return undefined;
  return kind.configure
    ? { ...definition, ...kind.configure(definition, block, context.report) }
    : definition;
}

interface SourcedBlock {
  source: LocatedString;
  block: ReadBlock;
}

function findDefinition<Definition extends object>(
  kind: TypeKind<Definition>,
  sourced: SourcedBlock,
  context: CompileContext,
  sourceChain: SourceChain<Definition>,
): FoundDefinition<Definition> | undefined {
  const name = /^svc:\/\/(.*)$/.exec(sourced.source.text)?.[1];
  const text = name === undefined ? undefined : kind.builtIn.get(name);
  if (text === undefined) return readFetched(kind, sourced, context, sourceChain);
  return checkNoDigest(sourced.block, context.report) ? readBuiltIn(kind, text, context) : undefined;
}

function findOwnItem<Definition>(
  { ownItems }: TypeKind<Definition>,
  { attributes, blocks }: ReadBlock,
): { name: string; range: ReadBlock['range'] } | undefined {
  const block = blocks.find(({ type }) => ownItems.includes(type));
  if (block) return { name: block.type, range: block.range };
  const [name, attribute] = [...attributes].find(([candidate]) => ownItems.includes(candidate)) ?? [];
  return name === undefined || !attribute ? undefined : { name, range: attribute.nameRange };
}

function checkSource<Definition>(
  { text, range }: LocatedString,
  kind: TypeKind<Definition>,
  report: Report,
): boolean {
  const refused = kind.refused?.get(/^svc:\/\/(.*)$/.exec(text)?.[1] ?? '');
  if (refused !== undefined) {
    report(diagnose('invalid-source', range, refused, 'Leave the type out.'));
    return false;
  }
  if (/^svc:\/\/[a-z0-9][a-z0-9._-]*$/.test(text) || /^https?:\/\/[^\s/@?#]+(?:[/?#]\S*)?$/.test(text))
    return true;
  const message = `${JSON.stringify(text)} is not a source`;
  report(diagnose('invalid-source', range, message, helpForSource(text, kind)));
  return false;
}

function helpForSource<Definition>(text: string, kind: TypeKind<Definition>): string | undefined {
  if (/^[a-z]+:\/\/[^/]*@/.test(text)) return 'Leave out the name and password: sources are public.';
  const name = /^(?:[A-Za-z]+:\/*)?([a-z0-9][a-z0-9._-]*)$/.exec(text)?.[1];
  if (name === undefined) return undefined;
  const known = kind.builtIn.has(name) ? name : closestName(name, kind.builtIn.keys());
  return known === undefined ? undefined : `Write "svc://${known}".`;
}

function checkNoDigest({ attributes }: ReadBlock, report: Report): boolean {
  const digest = attributes.get('source_digest');
  if (!digest) return true;
  report(diagnose('source-digest', digest.nameRange, 'a built-in type has no digest', 'Remove it.'));
  return false;
}

function readFetched<Definition extends object>(
  kind: TypeKind<Definition>,
  { source, block }: SourcedBlock,
  context: CompileContext,
  { chain, follow }: SourceChain<Definition>,
): FoundDefinition<Definition> | undefined {
  const { text, range } = source;
  const longerChain = [...chain, text];
  if (!checkChain(longerChain, range, context.report)) return undefined;
  const resolved = fetchedText(kind, source, context);
  if (!resolved || !checkDigest(source, block, resolved.digest, context.report)) return undefined;
  const inner = readDefinition(kind, { text: resolved.text, source }, context);
  const definition = inner && follow(inner.block, inner.context, longerChain);
  if (!definition) return undefined;
  const builtIn = builtInSource(definition);
  return {
    ...definition,
    origin: { source: text, digest: resolved.digest, ...defined({ builtIn }) },
  };
}

function checkChain(chain: readonly string[], range: ReadBlock['range'], report: Report): boolean {
  const shown = chain.join(' → ');
  const isCycle = new Set(chain).size < chain.length;
  if (isCycle) report(diagnose('source-cycle', range, `sources refer to each other in a cycle: ${shown}`));
  else if (chain.length > LIMITS.sourceChain)
    report(diagnose('source-cycle', range, `a chain of more than ${LIMITS.sourceChain} sources: ${shown}`));
  return !isCycle && chain.length <= LIMITS.sourceChain;
}

function fetchedText<Definition>(
  kind: TypeKind<Definition>,
  { text, range }: LocatedString,
  { sources, need, report }: CompileContext,
): { text: string; digest: string } | undefined {
  const resolved = Object.hasOwn(sources, text) ? sources[text] : undefined;
  if (resolved && 'text' in resolved) return resolved;
  const hint = text.startsWith('svc://') ? didYouMean(text.slice(6), kind.builtIn.keys()) : '';
  if (resolved) report(diagnose('source-unavailable', range, `${text}: ${resolved.failure}${hint}`));
  else need({ source: text, range, ...(hint !== '' && { hint }) });
  return undefined;
}

function checkDigest({ text }: LocatedString, block: ReadBlock, digest: string, report: Report): boolean {
  const expected = stringAt(block, 'source_digest');
  if (!expected || expected.text === digest) return true;
  const message = `${text} has the digest ${digest}, not ${expected.text}`;
  report(diagnose('source-digest', expected.range, message));
  return false;
}
