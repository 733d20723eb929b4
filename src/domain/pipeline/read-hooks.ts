import { blocksOf } from '#domain/language/block-values.ts';
import { diagnose } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { readCommand } from './command.ts';
import type { HookAction, Hooks } from './pipeline.ts';
import { readNotify, readPut, readTask, type StepContext } from './read-steps.ts';

/** Hooks of a job or step. The field is absent without hooks. */
export function hooksOf(block: ReadBlock, around: StepContext): { hooks?: Hooks } {
  const onSuccess = readHook(block, 'on_success', around);
  const onFailure = readHook(block, 'on_failure', around);
  const onCancel = readHook(block, 'on_cancel', around);
  const ensure = readHook(block, 'ensure', around);
  const hooks: Hooks = {
    ...(onSuccess.length > 0 && { onSuccess }),
    ...(onFailure.length > 0 && { onFailure }),
    ...(onCancel.length > 0 && { onCancel }),
    ...(ensure.length > 0 && { ensure }),
  };
  return Object.keys(hooks).length > 0 ? { hooks } : {};
}

/** Actions of all blocks of one kind, in order. */
export function readHook(block: ReadBlock, kind: string, around: StepContext): HookAction[] {
  return blocksOf(block, kind).flatMap((hook) => readOne(hook, around));
}

function readOne(hook: ReadBlock, around: StepContext): HookAction[] {
  if (hook.labels.length > 0) {
    const run = readCommand(hook, around);
    return run ? [{ kind: 'command', run }] : [];
  }
  if (hook.blocks.length === 0 && hook.misread.size === 0 && !around.incomplete)
    around.report(diagnose('nothing-to-do', hook.range, `${hook.type} has nothing to do`));
  return hook.blocks.flatMap((step) => readAction(step, around) ?? []);
}

function readAction(step: ReadBlock, around: StepContext): HookAction | undefined {
  if (step.type === 'task') return readTask(step, around);
  return step.type === 'put' ? readPut(step, around) : readNotify(step, around);
}
