import { entryOf, yamlAt, type YamlMap, type YamlTree } from './yaml-tree.ts';

/** The fields of a Concourse step or job that are hooks. */
export const HOOK_NAMES = ['on_success', 'on_failure', 'on_error', 'on_abort', 'ensure'] as const;

/** Whether the step, or a step inside it, has one of the fields. Steps in hooks do not count. */
export function hasStepField(tree: YamlTree, keys: readonly string[]): boolean {
  if (tree.kind === 'list') return tree.items.some((item) => hasStepField(item, keys));
  if (tree.kind !== 'map') return false;
  return tree.entries.some(
    ({ key, value }) => keys.includes(key) || (isStepGroup(key) && hasStepField(value, keys)),
  );
}

const isStepGroup = (key: string): boolean => ['do', 'try', 'in_parallel', 'steps'].includes(key);

/** Whether the tree contains steps that must run one after another. */
export function isSequence(tree: YamlTree): boolean {
  if (tree.kind === 'list') return tree.items.some(isSequence);
  if (tree.kind !== 'map') return false;
  const steps = yamlAt(tree, 'do');
  if (steps?.kind === 'list') return steps.items.length > 1 || steps.items.some(isSequence);
  return tree.entries.some(({ key, value }) => isStepGroup(key) && isSequence(value));
}

/** Whether the tree contains a step that runs only if an earlier step succeeded. */
export function stopsAtFailure(tree: YamlTree): boolean {
  if (tree.kind === 'list') return tree.items.some(stopsAtFailure);
  if (tree.kind !== 'map') return false;
  const steps = yamlAt(tree, 'do');
  if (steps?.kind === 'list')
    return steps.items.slice(0, -1).some((step) => !isTry(step)) || steps.items.some(stopsAtFailure);
  return tree.entries.some(({ key, value }) => isStepGroup(key) && stopsAtFailure(value));
}

export const isTry = (tree: YamlTree): boolean => entryOf(tree, 'try') !== undefined;

/**
 * Splits a step or job into the part without `on_success`, and the step of that hook. Undefined: it has no
 * such hook.
 */
export function splitOnSuccess(tree: YamlMap): { before: YamlMap; onSuccess: YamlTree } | undefined {
  const onSuccess = hookOf(tree, 'on_success');
  if (onSuccess === undefined) return undefined;
  return {
    before: { ...tree, entries: tree.entries.filter(({ key }) => key !== 'on_success') },
    onSuccess,
  };
}

/** Whether `on_success` is the only hook of the step. */
export const hasOnlyOnSuccess = (tree: YamlMap): boolean =>
  HOOK_NAMES.every((name) => (hookOf(tree, name) !== undefined) === (name === 'on_success'));

/** The step of the hook. Undefined: there is none, or it is null. */
function hookOf(tree: YamlMap, name: string): YamlTree | undefined {
  const value = yamlAt(tree, name);
  return value?.kind === 'scalar' && value.value === null ? undefined : value;
}
