import { blocksOf, labelAt, stringAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Label } from '#domain/language/syntax.ts';
import { restoreScript, saveScript } from './built-in/job-cache.ts';
import { checkName, claimName } from './name.ts';
import { isInside } from './read-steps.ts';
import type { Step, TaskStep } from './steps.ts';

/** Limited, because each cache has its own volume. */
export const MAX_JOB_CACHES = 5;

/** Reports what is wrong with the caches of a job as a whole. */
export function checkJobCaches(job: ReadBlock, report: Report): void {
  const blocks = blocksOf(job, 'cache');
  const taken = new Map<string, Label>();
  for (const block of blocks) claimName(taken, report, 'cache', labelAt(block, 0));
  const [extra] = blocks.slice(MAX_JOB_CACHES);
  if (extra === undefined) return;
  const message = `the job has ${blocks.length} caches; at most ${MAX_JOB_CACHES} are allowed`;
  report(diagnose('invalid-cache', extra.range, message, 'Remove some.'));
}

/**
 * The step that restores a cache. It runs at the position of the block `cache` among the steps of the job.
 */
export function readJobCache(block: ReadBlock, report: Report): TaskStep | undefined {
  const label = labelAt(block, 0);
  const isNameValid = checkName(report, 'type', 'cache', label);
  const path = readPath(block, report);
  const key = stringAt(block, 'key');
  if (key?.text === '') report(diagnose('invalid-cache', key.range, 'the key of a cache must not be empty'));
  if (!isNameValid || path === undefined || key === undefined) return undefined;
  const [prefix = ''] = key.text.split('$');
  return {
    kind: 'task',
    name: `cache ${label.text}: restore`,
    cache: label.text,
    run: { runner: 'shell', cmd: restoreScript },
    env: { cache_path: path, cache_key: key.text, cache_prefix: prefix === key.text ? '' : prefix },
  };
}

/** The path of a file or folder in the working directory, but not that directory itself. */
function readPath(block: ReadBlock, report: Report): string | undefined {
  const path = stringAt(block, 'path');
  if (path === undefined) return undefined;
  const { text, range } = path;
  if (isInside(text) && text.split('/').every((part) => part !== '' && part !== '.')) return text;
  report(diagnose('invalid-path', range, `${JSON.stringify(text)} is not a path in the working directory`));
  return undefined;
}

/** The steps of a job, followed by the steps that save its caches. */
export function withSaves(steps: Step[]): Step[] {
  const saves = steps.flatMap((step): TaskStep[] => {
    if (step.kind !== 'task' || step.cache === undefined) return [];
    return [{ ...step, name: `cache ${step.cache}: save`, run: { runner: 'shell', cmd: saveScript } }];
  });
  return [...steps, ...saves];
}
