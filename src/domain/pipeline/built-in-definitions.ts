import { labelAt } from '#domain/language/block-values.ts';
import type { CompileContext } from './compile-context.ts';
import { readDefinition } from './definition-text.ts';
import { programOf } from './runner-override.ts';
import type { FoundDefinition, TypeKind } from './type-kinds.ts';

/** Reads a built-in definition. A runner `exec` of the pipeline also replaces `exec` in it. */
export function readBuiltIn<Definition extends object>(
  kind: TypeKind<Definition>,
  text: string,
  context: CompileContext,
): FoundDefinition<Definition> | undefined {
  const inner = readDefinition(kind, { text }, context);
  const definition = inner && kind.read(inner.block, { ...inner.context, embedded: true });
  if (!definition) return undefined;
  const origin = { source: `svc://${labelAt(inner.block, 0).text}` };
  const exec = context.runners.get('exec');
  if (!exec || exec === 'broken') return { ...definition, builtIn: true, origin };
  const changed = kind.withCommands(definition, (command) => {
    const { path, args } = programOf(command);
    const { path: template, args: templates } = exec;
    const known = { path: template, args: templates, attributes: { path } };
    return { runner: 'custom', name: 'exec', ...known, callerArgs: args };
  });
  return { ...changed, builtIn: true, origin };
}
