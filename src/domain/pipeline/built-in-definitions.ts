import { labelAt } from '#domain/language/block-values.ts';
import type { CompileContext } from './compile-context.ts';
import { readDefinition } from './definition-text.ts';
import { programOf } from './runner-override.ts';
import type { FoundDefinition, TypeKind } from './type-kinds.ts';

/**
 * Reads a built-in definition. If the pipeline declares a runner `exec`, that runner runs every command of
 * the definition, scripts included. Returns undefined after reporting an error.
 */
export function readBuiltIn<Definition extends object>(
  kind: TypeKind<Definition>,
  text: string,
  context: CompileContext,
): FoundDefinition<Definition> | undefined {
  const embedded = readDefinition(kind, { text }, context);
  const definition = embedded && kind.read(embedded.block, { ...embedded.context, embedded: true });
  if (!definition) return undefined;
  const origin = { source: `svc://${labelAt(embedded.block, 0).text}` };
  const exec = context.runners.get('exec');
  if (!exec || exec === 'broken') return { ...definition, builtIn: true, origin };
  const overridden = kind.withCommands(definition, (command) => {
    const { path, args } = programOf(command);
    const templates = { path: exec.path, args: exec.args };
    return { runner: 'custom', name: 'exec', ...templates, attributes: { path }, callerArgs: args };
  });
  return { ...overridden, builtIn: true, origin };
}
