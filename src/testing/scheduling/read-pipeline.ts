import { findOrThrow, type History, type HistoryGet, type HistoryJob } from './history.ts';

/**
 * Reads a pipeline from a short form, one job per line:
 *
 *     unit: app trigger
 *     deploy (interruptible, approvals 2): app trigger passed unit+lint, tools
 *
 * Words of a get: `trigger`, `passed a+b`, `every`, `latest`. A trigger without `passed` takes every version
 * unless it says `latest`, as in the language. Words in parentheses: `interruptible`, `approvals N`,
 * `not-by-trigger`, `allow-failure`, `no-retry`, `hooks`, `concurrency N`, `no-supersede`.
 */
export function readPipeline(text: string): History {
  const history: History = { paused: false, resources: [], jobs: [], builds: [], requests: 0 };
  for (const line of text.trim().split('\n')) addJob(history, line.trim());
  return history;
}

export function addJob(history: History, line: string): HistoryJob {
  const parts = /^(?<name>[\w-]+)(?: \((?<options>[^()]*)\))?: (?<gets>.*)$/.exec(line)?.groups;
  if (parts === undefined) throw new Error(`Not a job: ${line}`);
  const options = (parts['options'] ?? '').split(', ');
  const approvals = options.find((option) => option.startsWith('approvals '));
  const concurrency = options.find((option) => option.startsWith('concurrency '));
  const job: HistoryJob = {
    id: history.jobs.length + 1,
    name: parts['name'] ?? '',
    paused: history.paused,
    interruptible: options.includes('interruptible'),
    allowFailure: options.includes('allow-failure'),
    disableRetry: options.includes('no-retry'),
    hooks: options.includes('hooks'),
    supersede: !options.includes('no-supersede'),
    ...(concurrency === undefined ? {} : { concurrency: Number(concurrency.split(' ')[1]) }),
    gets: [],
    requests: [],
    ...(approvals === undefined
      ? {}
      : {
          gate: {
            approvals: Number(approvals.split(' ')[1]),
            notByTrigger: options.includes('not-by-trigger'),
          },
        }),
  };
  job.gets = (parts['gets'] ?? '').split(', ').map((get) => readGet(history, get));
  history.jobs.push(job);
  return job;
}

function readGet(history: History, text: string): HistoryGet {
  const [name = '', ...words] = text.split(' ');
  const trigger = words.includes('trigger');
  const upstream = words.includes('passed') ? (words[words.indexOf('passed') + 1] ?? '').split('+') : [];
  const passed = upstream.map(
    (upstreamName) => findOrThrow(history.jobs, (job) => job.name === upstreamName, upstreamName).id,
  );
  const every = words.includes('every') || (passed.length === 0 && !words.includes('latest'));
  return {
    resource: resourceNamed(history, name),
    trigger,
    every: trigger && every,
    passed,
    baseline: 0,
    settled: 0,
  };
}

function resourceNamed(history: History, name: string): number {
  const existing = history.resources.find((resource) => resource.name === name);
  if (existing !== undefined) return existing.id;
  const id = history.resources.length + 1;
  history.resources.push({ id, name, versions: [] });
  return id;
}
