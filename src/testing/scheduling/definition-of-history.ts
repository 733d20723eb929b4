import { defined } from '#defined';
import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import { get, put, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { jobOf, type History, type HistoryJob } from './history.ts';

/** Resources that builds of each job put. */
export function putsOf(lines: readonly string[]): Map<string, Set<string>> {
  const puts = new Map<string, Set<string>>();
  for (const [, job = '', made = ''] of lines
    .join(' + ')
    .matchAll(/(?<![\w-])([\w-]+)#[\d.]+ ok((?: [\w-]+=[\w-]+)+)/g))
    for (const one of made.trim().split(' '))
      puts.set(job, (puts.get(job) ?? new Set()).add(one.split('=')[0] ?? ''));
  return puts;
}

/** A history's jobs and resources as a definition that can be saved; `puts` by job. */
export function definitionOf(drawn: History, puts: Map<string, Set<string>>): Pipeline {
  const named = new Set([
    ...drawn.resources.map(({ name }) => name),
    ...[...puts.values()].flatMap((made) => [...made]),
  ]);
  return samplePipeline({
    resources: [...named].map((name) => {
      const { source, oldName } = drawn.resources.find((one) => one.name === name) ?? {};
      return resource(`git.${name}`, {
        ...(source !== undefined && { params: { source } }),
        ...(oldName !== undefined && { oldName: `git.${oldName}` }),
      });
    }),
    jobs: drawn.jobs.map((job) => jobIn(job, drawn, puts.get(job.name) ?? new Set())),
  });
}

function jobIn(drawn: HistoryJob, history: History, puts: ReadonlySet<string>): Job {
  const gets = drawn.gets.map((one) => ({
    ...get(`git.${nameOf(history, one.resource)}`, {
      trigger: one.trigger,
      passed: one.passed.map((id) => jobOf(history, id).name),
    }),
    ...(one.trigger ? { version: one.every ? ('every' as const) : ('latest' as const) } : {}),
  }));
  const { interruptible, allowFailure, disableRetry, gate, hooks, concurrency, supersede } = drawn;
  return {
    name: drawn.name,
    ...defined({ oldName: drawn.oldName }),
    steps: [...gets, ...[...puts].map((name) => put(`git.${name}`))],
    interruptible,
    allowFailure,
    disableRetry,
    ...(supersede === false ? { supersede } : {}),
    ...defined({ concurrency }),
    ...(hooks === true ? { onTrigger: [{ kind: 'command', run: { runner: 'shell', cmd: 'true' } }] } : {}),
    ...(gate === undefined ? {} : { approval: { label: 'gate', notify: [], ...gate } }),
  };
}

function nameOf({ resources }: History, id: number): string {
  return resources.find((one) => one.id === id)?.name ?? '';
}
