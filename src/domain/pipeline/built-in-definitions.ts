import { labelAt } from '#domain/language/read-block.ts';
import type { Surroundings } from './compile-context.ts';
import { readDefinition } from './definition-text.ts';
import { programOf } from './runner-override.ts';
import type { Found, Kind } from './type-kinds.ts';

/**
 * A definition that came with Millrace. Where a pipeline replaces the runner exec, it replaces it here too.
 */
export function readBuiltIn<Definition extends object>(
  kind: Kind<Definition>,
  text: string,
  around: Surroundings,
): Found<Definition> | undefined {
  const inner = readDefinition(kind, { text }, around);
  const definition = inner && kind.read(inner.block, { ...inner.around, embedded: true });
  if (!definition) return undefined;
  const origin = { source: `svc://${labelAt(inner.block, 0).text}` };
  const exec = around.runners.get('exec');
  if (!exec || exec === 'broken') return { ...definition, builtIn: true, origin };
  const changed = kind.withCommands(definition, (command) => {
    const { path, args } = programOf(command);
    return { runner: 'custom', name: 'exec', ...exec, attributes: { path }, callerArgs: args };
  });
  return { ...changed, builtIn: true, origin };
}
