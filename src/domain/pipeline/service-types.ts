import { defined } from '#defined';
import { blocksOf, numberAt } from '#domain/language/block-values.ts';
import { diagnose } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { builtInServiceTypes } from './built-in-types.ts';
import type { Command } from './command.ts';
import type { CompileContext } from './compile-context.ts';
import { declaredParams, withDeclaredParams } from './parameter-names.ts';
import type { ServiceType } from './pipeline.ts';
import { readCommand } from './read-command.ts';
import { isNoOpBlock, NO_OP_COMMAND } from './resource-types.ts';
import type { NamedType, TypeKind } from './type-kinds.ts';

type Definition = Omit<ServiceType, keyof NamedType>;

export const serviceTypes: TypeKind<Definition> = {
  block: 'service_type',
  noun: 'service type',
  ownItems: ['start', 'stop', 'ready_check'],
  builtIn: builtInServiceTypes,
  read(block, context) {
    const params = declaredParams(block, context.report);
    const start = readRequired(block, 'start', context);
    const stop = readRequired(block, 'stop', context);
    const ready = readReady(block, context);
    if (!start || !stop || ready === 'broken') return undefined;
    return { params, start, stop, ...defined({ ready }) };
  },
  configure: withDeclaredParams,
  commands: ({ start, stop, ready }) => [
    ['start', start],
    ['stop', stop],
    ...(ready ? [['ready_check', ready.check] satisfies [string, Command]] : []),
  ],
  withCommands: (type, change) => ({
    ...type,
    start: change(type.start),
    stop: change(type.stop),
    ...(type.ready && { ready: { ...type.ready, check: change(type.ready.check) } }),
  }),
};

function readRequired(block: ReadBlock, name: string, context: CompileContext): Command | undefined {
  const [command] = blocksOf(block, name);
  if (command && name === 'stop' && isNoOpBlock(command, context)) return NO_OP_COMMAND;
  if (command) return readCommand(command, { ...context, imageFromParams: true });
  if (!block.misread.has(name))
    context.report(diagnose('missing-block', block.range, `service_type needs a block ${name}`));
  return undefined;
}

/** Undefined: the type has no `ready_check`. `broken`: it has one with an error, which was reported. */
function readReady(block: ReadBlock, context: CompileContext): Definition['ready'] | 'broken' {
  const [ready] = blocksOf(block, 'ready_check');
  if (!ready) return block.misread.has('ready_check') ? 'broken' : undefined;
  const check = readCommand(ready, { ...context, imageFromParams: true });
  if (!check) return 'broken';
  return {
    check,
    intervalSeconds: numberAt(ready, 'interval') ?? 1,
    timeoutSeconds: numberAt(ready, 'timeout') ?? 60,
  };
}
