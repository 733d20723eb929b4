import { blocksOf, labelAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Label } from '#domain/language/syntax.ts';
import { readBuiltIn } from './built-in-definitions.ts';
import type { Command } from './command.ts';
import type { CompileContext } from './compile-context.ts';
import { checkName, claimName } from './name.ts';
import { readOverride, type RunnerOverride } from './runner-override.ts';
import { readSourced } from './sources.ts';
import type { FoundDefinition, KnownTypes, NamedType, TypeKind } from './type-kinds.ts';

/**
 * Declared types, and the built-in types that no declaration overrides. A built-in definition is read when
 * something names it.
 */
export function readTypes<Definition extends object>(
  kind: TypeKind<Definition>,
  blocks: readonly ReadBlock[],
  context: CompileContext,
): KnownTypes<Definition> {
  const taken = new Map<string, Label>();
  const types = new Map<string, (Definition & NamedType) | 'broken'>();
  for (const block of blocks) {
    const label = labelAt(block, 0);
    const isNameValid = checkName(context.report, 'type', kind.noun, label);
    if (!claimName(taken, context.report, kind.noun, label) || !isNameValid) continue;
    const definition = readDeclared(kind, block, context, []);
    const type = definition && { ...definition, name: label.text };
    types.set(label.text, type ?? 'broken');
    if (type) kind.checkConfiguration?.(type, block, context.report);
  }
  const declared = new Set(types.keys());
  const find = (name: string): (Definition & NamedType) | 'broken' | undefined => {
    const known = types.get(name);
    const text = kind.builtIn.get(name);
    if (!known && context.misread.has(kind.block)) return 'broken';
    if (known || text === undefined) return known;
    const builtIn = readBuiltIn(kind, text, context);
    const namedType = builtIn ? { ...builtIn, name } : 'broken';
    types.set(name, namedType);
    return namedType;
  };
  return { find, names: [...new Set([...declared, ...kind.builtIn.keys()])], declared };
}

/** Reads a type block, in place or from a source. `chain` lists the sources that led to it. */
function readDeclared<Definition extends object>(
  kind: TypeKind<Definition>,
  block: ReadBlock,
  context: CompileContext,
  chain: readonly string[],
): FoundDefinition<Definition> | undefined {
  const [runner] = blocksOf(block, 'runner');
  const override = runner && readOverride(runner, context);
  const definition = block.attributes.has('source')
    ? readSourced(kind, block, context, {
        chain,
        follow: (innerBlock, innerContext, longerChain) =>
          readDeclared(kind, innerBlock, innerContext, longerChain),
      })
    : readInline(kind, block, context);
  if (!definition || (runner && !override) || block.misread.size > 0) return undefined;
  return runner && override
    ? applyOverride(kind, definition, { runner, override, report: context.report })
    : definition;
}

function readInline<Definition extends object>(
  kind: TypeKind<Definition>,
  block: ReadBlock,
  context: CompileContext,
): FoundDefinition<Definition> | undefined {
  const definition = kind.read(block, context);
  const digest = block.attributes.get('source_digest');
  if (digest) {
    const message = 'source_digest has no meaning without a source';
    context.report(diagnose('source-digest', digest.nameRange, message, 'Remove it, or add the source.'));
  }
  return definition && { ...definition, builtIn: false };
}

/** Applies the `runner` block of a type. Reports a command that does not use exec. */
function applyOverride<Definition extends object>(
  kind: TypeKind<Definition>,
  definition: FoundDefinition<Definition>,
  { runner, override, report }: { runner: ReadBlock; override: RunnerOverride; report: Report },
): FoundDefinition<Definition> | undefined {
  const [notExec] = definition.builtIn
    ? []
    : kind.commands(definition).filter(([, command]) => !isExec(command));
  if (!notExec) return { ...definition, ...kind.withCommands(definition, override) };
  const [name, command] = notExec;
  const { text, range } = labelAt(runner, 0);
  const used = command.runner === 'custom' ? command.name : command.runner;
  const message = `the runner ${text} cannot take over: ${name} uses ${used}, not exec`;
  report(diagnose('runner-override', range, message));
  return undefined;
}

const isExec = (command: Command): boolean =>
  command.runner === 'exec' || (command.runner === 'custom' && command.name === 'exec');
