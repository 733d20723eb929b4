import { blocksOf } from '#domain/language/block-values.ts';
import { diagnose } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { readCommand } from './read-command.ts';
import { readNotify, readPut, readTask, type StepContext } from './read-steps.ts';
import type { HookAction, Hooks } from './steps.ts';

/** Hooks of a job or step. The field is absent without hooks. */
export function hooksOf(block: ReadBlock, context: StepContext): { hooks?: Hooks } {
  const onSuccess = readHook(block, 'on_success', context);
  const onFailure = readHook(block, 'on_failure', context);
  const onCancel = readHook(block, 'on_cancel', context);
  const ensure = readHook(block, 'ensure', context);
  const hooks: Hooks = {
    ...(onSuccess.length > 0 && { onSuccess }),
    ...(onFailure.length > 0 && { onFailure }),
    ...(onCancel.length > 0 && { onCancel }),
    ...(ensure.length > 0 && { ensure }),
  };
  return Object.keys(hooks).length > 0 ? { hooks } : {};
}

/** Actions of all blocks of one kind, in order. */
export function readHook(block: ReadBlock, kind: string, context: StepContext): HookAction[] {
  return blocksOf(block, kind).flatMap((hook) => readHookBlock(hook, context));
}

function readHookBlock(hook: ReadBlock, context: StepContext): HookAction[] {
  if (hook.labels.length > 0) {
    const run = readCommand(hook, context);
    return run ? [{ kind: 'command', run }] : [];
  }
  if (hook.blocks.length === 0 && hook.misread.size === 0 && !context.incomplete)
    context.report(diagnose('nothing-to-do', hook.range, `${hook.type} has nothing to do`));
  return hook.blocks.flatMap((step) => readAction(step, context) ?? []);
}

function readAction(step: ReadBlock, context: StepContext): HookAction | undefined {
  if (step.type === 'task') return readTask(step, context);
  return step.type === 'put' ? readPut(step, context) : readNotify(step, context);
}
