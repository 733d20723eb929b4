import { blocksOf, boolAt } from '#domain/language/block-values.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { builtInResourceTypes } from './built-in-types.ts';
import type { Command } from './command.ts';
import type { CompileContext } from './compile-context.ts';
import { declaredParams, withDeclaredParams } from './parameter-names.ts';
import type { ResourceType } from './pipeline.ts';
import { hasProtocol, readProtocolType } from './protocol-types.ts';
import { readCommand } from './read-command.ts';
import type { NamedType, TypeKind } from './type-kinds.ts';

type Definition = Omit<ResourceType, keyof NamedType>;

const operations = ['check', 'pull', 'push'] as const;

export const resourceTypes: TypeKind<Definition> = {
  block: 'resource_type',
  noun: 'resource type',
  ownItems: [...operations, 'protocol', 'image'],
  builtIn: builtInResourceTypes,
  read(block, context) {
    if (hasProtocol(block)) return readProtocolType(block, context);
    const read = operations.map((operation) => readOperation(block, operation, context));
    if (read.includes('broken') || block.misread.size > 0) return undefined;
    return {
      params: declaredParams(block, context.report),
      cache: boolAt(block, 'cache') ?? false,
      ...Object.assign({}, ...read),
    };
  },
  configure: (type, block, report) => ({
    ...withDeclaredParams(type, block, report),
    cache: boolAt(block, 'cache') ?? type.cache,
  }),
  commands: (type) =>
    operations.flatMap((operation) => {
      const command = type[operation];
      return command ? [[operation, command]] : [];
    }),
  withCommands: (type, change) => ({
    ...type,
    ...Object.fromEntries(resourceTypes.commands(type).map(([name, command]) => [name, change(command)])),
  }),
};

type Operations = Pick<ResourceType, 'check' | 'pull' | 'push'>;

function readOperation(block: ReadBlock, operation: string, context: CompileContext): Operations | 'broken' {
  const [command] = blocksOf(block, operation);
  if (!command) return {};
  const read = isNoOpBlock(command, context) ? NO_OP_COMMAND : readCommand(command, context);
  return read ? { [operation]: read } : 'broken';
}

/** What an empty `pull` or `push` runs: it does nothing and succeeds. */
export const NO_OP_COMMAND: Command = { runner: 'exec', path: 'true', args: [] };

/**
 * Whether the block runs nothing: `exec` without attributes, unless the pipeline has its own runner `exec`. A
 * `check` must run something.
 */
export function isNoOpBlock({ type, labels, attributes }: ReadBlock, { runners }: CompileContext): boolean {
  return type !== 'check' && labels[0]?.text === 'exec' && attributes.size === 0 && !runners.has('exec');
}
