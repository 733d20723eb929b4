import { diagnose, diagnoseProblem, hasErrors, renderDiagnostic } from '#domain/language/diagnostic.ts';
import type { Diagnostic, Report } from '#domain/language/diagnostic.ts';
import { typeSchema } from '#domain/language/pipeline-schema.ts';
import { blocksOf, labelAt, readBody, textAt } from '#domain/language/read-block.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Text } from '#domain/language/read-attribute.ts';
import { didYouMean } from '#domain/language/suggest.ts';
import type { Label } from '#domain/language/syntax.ts';
import { LIMITS } from './limits.ts';
import { checkName, claimName } from './name.ts';
import type { Command, Origin } from './pipeline.ts';
import { programOf, readOverride } from './runner-override.ts';
import type { Override } from './runner-override.ts';
import type { Surroundings } from './surroundings.ts';

/** What all types have. */
export interface Named {
  name: string;
  builtIn: boolean;
  origin?: Origin;
}

/** One of the five kinds of types, and how its definitions are read. */
export interface Kind<Definition> {
  block: string;
  /** In a sentence. */
  what: string;
  /** Attributes and blocks that a definition has of its own, and that a `source` brings. */
  own: readonly string[];
  /** Texts by name, aliases among them. */
  builtIn: ReadonlyMap<string, string>;
  /** Why `svc://<name>` cannot be a source of this kind, in a sentence. */
  refused?: ReadonlyMap<string, string>;
  read: (block: ReadBlock, around: Surroundings) => Definition | undefined;
  /** Its commands by the name of their blocks. */
  commands: (definition: Definition) => [block: string, command: Command][];
  withCommands: (definition: Definition, change: (command: Command) => Command) => Definition;
  /** What a block with a `source` adds to what the source brings. */
  configure?: (definition: Definition, block: ReadBlock) => Definition;
}

export interface KnownTypes<Definition> {
  /** `broken`: declared, but wrong, and reported. */
  find: (name: string) => (Definition & Named) | 'broken' | undefined;
  names: string[];
}

/** Declared types, and the built-in ones that no declaration replaces. */
export function readTypes<Definition extends object>(
  kind: Kind<Definition>,
  blocks: readonly ReadBlock[],
  around: Surroundings,
): KnownTypes<Definition> {
  const taken = new Map<string, Label>();
  const types = new Map<string, (Definition & Named) | 'broken'>();
  for (const block of blocks) {
    const label = labelAt(block, 0);
    const named = checkName(around.report, 'type', kind.what, label);
    if (!claimName(taken, around.report, kind.what, label) || !named) continue;
    const found = readDeclared(kind, block, around);
    types.set(label.text, found ? { ...found, name: label.text } : 'broken');
  }
  const find = (name: string): (Definition & Named) | 'broken' | undefined => {
    const known = types.get(name);
    const text = kind.builtIn.get(name);
    if (known || text === undefined) return known;
    const builtIn = readBuiltIn(kind, text, around);
    const made = builtIn ? { ...builtIn, name } : 'broken';
    types.set(name, made);
    return made;
  };
  return { find, names: [...new Set([...types.keys(), ...kind.builtIn.keys()])] };
}

type Found<Definition> = Definition & Omit<Named, 'name'>;

function readDeclared<Definition extends object>(
  kind: Kind<Definition>,
  block: ReadBlock,
  around: Surroundings,
  chain: readonly string[] = [],
): Found<Definition> | undefined {
  const [runner] = blocksOf(block, 'runner');
  const override = runner && readOverride(runner, around);
  const found = block.attributes.has('source')
    ? readSourced(kind, block, around, chain)
    : readInline(kind, block, around);
  if (!found || (runner && !override) || block.misread.has('runner')) return undefined;
  return runner && override ? takeOver(kind, found, { runner, override, report: around.report }) : found;
}

function readInline<Definition extends object>(
  kind: Kind<Definition>,
  block: ReadBlock,
  around: Surroundings,
): Found<Definition> | undefined {
  const definition = kind.read(block, around);
  const digest = block.attributes.get('source_digest');
  if (digest) {
    const message = 'source_digest says nothing without a source';
    around.report(diagnose('source-digest', digest.nameRange, message, 'Remove it, or add the source.'));
  }
  return definition && { ...definition, builtIn: false };
}

function takeOver<Definition extends object>(
  kind: Kind<Definition>,
  found: Found<Definition>,
  { runner, override, report }: { runner: ReadBlock; override: Override; report: Report },
): Found<Definition> | undefined {
  const [other] = found.builtIn ? [] : kind.commands(found).filter(([, command]) => !isExec(command));
  if (!other) return { ...found, ...kind.withCommands(found, override) };
  const [name, command] = other;
  const { text, range } = labelAt(runner, 0);
  const used = command.runner === 'custom' ? command.name : command.runner;
  const message = `the runner ${text} cannot take over: ${name} uses ${used}, not exec`;
  report(diagnose('runner-override', range, message));
  return undefined;
}

const isExec = (command: Command): boolean =>
  command.runner === 'exec' || (command.runner === 'custom' && command.name === 'exec');

function readSourced<Definition extends object>(
  kind: Kind<Definition>,
  block: ReadBlock,
  around: Surroundings,
  chain: readonly string[],
): Found<Definition> | undefined {
  const own = ownPart(kind, block);
  if (own) {
    const message = `source and ${own.name} exclude each other: the source brings its own`;
    around.report(diagnose('source-with-commands', own.range, message));
  }
  const source = textAt(block, 'source');
  if (!source || !checkSource(source, around.report)) return undefined;
  const name = /^svc:\/\/(.*)$/.exec(source.text)?.[1];
  const refused = kind.refused?.get(name ?? '');
  if (refused !== undefined) {
    around.report(diagnose('invalid-source', source.range, refused));
    return undefined;
  }
  const builtIn = name === undefined ? undefined : kind.builtIn.get(name);
  const found =
    builtIn === undefined
      ? readFetched(kind, { source, block, chain }, around)
      : checkNoDigest(block, around.report) && readBuiltIn(kind, builtIn, around);
  if (own || !found) return undefined;
  return kind.configure ? { ...found, ...kind.configure(found, block) } : found;
}

function ownPart<Definition>(
  { own }: Kind<Definition>,
  { attributes, blocks }: ReadBlock,
): { name: string; range: ReadBlock['range'] } | undefined {
  const block = blocks.find(({ type }) => own.includes(type));
  if (block) return { name: block.type, range: block.range };
  const [name, attribute] = [...attributes].find(([candidate]) => own.includes(candidate)) ?? [];
  return name === undefined || !attribute ? undefined : { name, range: attribute.nameRange };
}

function checkSource({ text, range }: Text, report: Report): boolean {
  if (/^svc:\/\/[a-z0-9][a-z0-9._-]*$/.test(text) || /^https?:\/\/[^\s/@?#]+(?:[/?#]\S*)?$/.test(text))
    return true;
  const message = `${JSON.stringify(text)} is not a source`;
  const help = /^[a-z]+:\/\/[^/]*@/.test(text)
    ? 'Leave out the name and password: sources are public.'
    : undefined;
  report(diagnose('invalid-source', range, message, help));
  return false;
}

function checkNoDigest({ attributes }: ReadBlock, report: Report): boolean {
  const digest = attributes.get('source_digest');
  if (!digest) return true;
  report(diagnose('source-digest', digest.nameRange, 'what is built in has no digest', 'Remove it.'));
  return false;
}

interface ToFetch {
  source: Text;
  block: ReadBlock;
  chain: readonly string[];
}

function readFetched<Definition extends object>(
  kind: Kind<Definition>,
  { source, block, chain }: ToFetch,
  around: Surroundings,
): Found<Definition> | undefined {
  const { text, range } = source;
  const { report, sources } = around;
  const circle = [...chain, text];
  if (chain.includes(text)) {
    report(diagnose('source-cycle', range, `sources name each other in a circle: ${circle.join(' → ')}`));
    return undefined;
  }
  if (chain.length >= LIMITS.sourceChain) {
    const message = `more than ${LIMITS.sourceChain} sources name one another: ${circle.join(' → ')}`;
    report(diagnose('source-cycle', range, message));
    return undefined;
  }
  const resolved = Object.hasOwn(sources, text) ? sources[text] : undefined;
  if (!resolved) {
    around.need({ source: text, range });
    return undefined;
  }
  if ('failure' in resolved) {
    const known = text.startsWith('svc://') ? didYouMean(text.slice(6), kind.builtIn.keys()) : '';
    report(diagnose('source-unavailable', range, `${text}: ${resolved.failure}${known}`));
    return undefined;
  }
  const wanted = textAt(block, 'source_digest');
  if (wanted && wanted.text !== resolved.digest) {
    const message = `${text} has the digest ${resolved.digest}, not ${wanted.text}`;
    report(diagnose('source-digest', wanted.range, message));
    return undefined;
  }
  const inner = readDefinition(kind, { text: resolved.text, source }, around);
  if (!inner) return undefined;
  const found = readDeclared(kind, inner.block, inner.around, circle);
  return found && { ...found, origin: { source: text, digest: resolved.digest } };
}

/** Definitions that come with Millrace run as exec where a pipeline replaces exec: it replaces it everywhere. */
function readBuiltIn<Definition extends object>(
  kind: Kind<Definition>,
  text: string,
  around: Surroundings,
): Found<Definition> | undefined {
  const inner = readDefinition(kind, { text }, around);
  const definition = inner && kind.read(inner.block, { ...inner.around, embedded: true });
  if (!definition) return undefined;
  const exec = around.runners.get('exec');
  const origin = { source: `svc://${labelAt(inner.block, 0).text}` };
  if (!exec || exec === 'broken') return { ...definition, builtIn: true, origin };
  const changed = kind.withCommands(definition, (command) => {
    const { path, args } = programOf(command);
    return { runner: 'custom', name: 'exec', ...exec, attributes: { path }, callerArgs: args };
  });
  return { ...changed, builtIn: true, origin };
}

/** The one block of the kind in a text of its own. What is wrong in there is told at the place of the `source`. */
function readDefinition<Definition>(
  kind: Kind<Definition>,
  { text, source }: { text: string; source?: Text },
  around: Surroundings,
): { block: ReadBlock; around: Surroundings } | undefined {
  const document = around.parse(text);
  const from = source?.text ?? `the built-in ${kind.what}`;
  const found: Diagnostic[] = [];
  const tell = (what: string): void =>
    around.report(diagnose('invalid-definition', source?.range, `${from}: ${what}`));
  const report: Report = (diagnostic) => {
    found.push(diagnostic);
    if (diagnostic.severity === 'error') tell(renderDiagnostic(diagnostic));
  };
  for (const problem of document.problems) report(diagnoseProblem(problem, 'syntax-error'));
  if (!document.body || hasErrors(found)) return undefined;
  const { evaluate, convert } = document;
  const reader = { ...around.reader, evaluate, convert, scope: new Map(), broken: new Set<string>(), report };
  const owner = { name: '', range: document.body.range };
  const { blocks, misread } = readBody(reader, document.body, typeSchema, owner);
  const [block, more] = blocks.filter(({ type }) => type === kind.block);
  if (hasErrors(found) || misread.size > 0) return undefined;
  if (!block || more) {
    tell(`it must have one block ${kind.block}, and has ${more ? 'more' : 'none'}`);
    return undefined;
  }
  return { block, around: { ...around, reader, report } };
}
