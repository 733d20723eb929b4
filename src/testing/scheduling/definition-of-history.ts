import { defined } from '#defined';
import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import { get, put, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { jobOf, type History, type HistoryJob } from './history.ts';

/** The names of the resources that builds of each job put, from the lines of a history. */
export function putsOf(lines: readonly string[]): Map<string, Set<string>> {
  const puts = new Map<string, Set<string>>();
  for (const [, job = '', putTexts = ''] of lines.join(' + ').matchAll(BUILD_WITH_PUTS)) {
    const names = puts.get(job) ?? new Set();
    for (const putText of putTexts.trim().split(' ')) names.add(putText.split('=')[0] ?? '');
    puts.set(job, names);
  }
  return puts;
}

/** Like `build#3 ok image=v1 chart=v2`. */
const BUILD_WITH_PUTS = /(?<![\w-])([\w-]+)#[\d.]+ ok((?: [\w-]+=[\w-]+)+)/g;

/** A history's jobs and resources as a definition that can be saved; `puts` by job. */
export function definitionOf(history: History, puts: Map<string, Set<string>>): Pipeline {
  const resourceNames = new Set([
    ...history.resources.map(({ name }) => name),
    ...[...puts.values()].flatMap((names) => [...names]),
  ]);
  return samplePipeline({
    resources: [...resourceNames].map((name) => {
      const { source, oldName } = history.resources.find((candidate) => candidate.name === name) ?? {};
      return resource(`git.${name}`, {
        ...(source !== undefined && { params: { source } }),
        ...(oldName !== undefined && { oldName: `git.${oldName}` }),
      });
    }),
    jobs: history.jobs.map((job) => jobIn(job, history, puts.get(job.name) ?? new Set())),
  });
}

function jobIn(historyJob: HistoryJob, history: History, puts: ReadonlySet<string>): Job {
  const gets = historyJob.gets.map(({ resource: resourceId, trigger, passed, every }) => ({
    ...get(`git.${nameOf(history, resourceId)}`, {
      trigger,
      passed: passed.map((id) => jobOf(history, id).name),
    }),
    ...(trigger ? { version: every ? ('every' as const) : ('latest' as const) } : {}),
  }));
  const { interruptible, allowFailure, disableRetry, gate, hooks, concurrency, supersede } = historyJob;
  return {
    name: historyJob.name,
    ...defined({ oldName: historyJob.oldName }),
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
  return resources.find((candidate) => candidate.id === id)?.name ?? '';
}
