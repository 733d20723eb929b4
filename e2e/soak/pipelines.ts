import type { JobName } from './history.ts';

/** Where the scripts of steps and checks find the soak run itself. */
export interface Address {
  host: string;
  port: number;
}

/** A step whose script tells the soak run that it began, and writes numbered lines. */
export interface StepSpec {
  name: string;
  lines: number;
  kind?: 'put';
  image?: string;
  pauseSeconds?: number;
  exit?: number;
}

export type JobSpec = JobName & {
  steps: StepSpec[];
  /** Ends with a step that fails on purpose. */
  fails?: boolean;
  /** The resource whose versions start it; `passed` names the job before it. */
  trigger?: { resource: string; passed?: string };
  /** Weight among what is triggered by hand; absent: never. */
  byHand?: number;
};

const BUSYBOX = 'localhost/millrace-busybox:dev';
const step = (name: string, lines = 3, more: Partial<StepSpec> = {}): StepSpec => ({ name, lines, ...more });

/** Every job of the run, in the order of their pipelines. */
export const JOBS: readonly JobSpec[] = [
  { pipeline: 'manual', job: 'work', steps: [step('say', 4, { pauseSeconds: 1 })], byHand: 4 },
  { pipeline: 'slow', job: 'count', steps: [step('count', 24, { pauseSeconds: 0.5 })], byHand: 3 },
  {
    pipeline: 'image',
    job: 'boxed',
    steps: [
      step('before'),
      step('box', 4, { image: BUSYBOX, pauseSeconds: 1 }),
      step('after', 2, { pauseSeconds: 1 }),
    ],
    byHand: 2,
  },
  {
    pipeline: 'failing',
    job: 'broken',
    steps: [step('well', 2), step('broken', 3, { exit: 7, pauseSeconds: 0.5 })],
    fails: true,
    byHand: 1,
  },
  {
    pipeline: 'chain',
    job: 'first',
    steps: [step('one', 6, { pauseSeconds: 0.5 })],
    trigger: { resource: 'counter.tick' },
  },
  {
    pipeline: 'chain',
    job: 'second',
    steps: [step('two', 5, { pauseSeconds: 0.5 })],
    trigger: { resource: 'counter.tick', passed: 'first' },
  },
  {
    pipeline: 'chain',
    job: 'third',
    steps: [step('three', 2, { pauseSeconds: 0.5 }), step('deliver', 8, { kind: 'put', pauseSeconds: 0.5 })],
    trigger: { resource: 'counter.tick', passed: 'second' },
  },
  { pipeline: 'minutely', job: 'each', steps: [step('each')], trigger: { resource: 'counter.slow' } },
  { pipeline: 'pausable', job: 'only', steps: [step('only')], trigger: { resource: 'counter.held' } },
];

/** Resources with their pipelines: how often they are checked while the run goes on. */
export const RESOURCES: Readonly<Record<string, { resource: string; interval: string }>> = {
  chain: { resource: 'counter.tick', interval: '@every 10s' },
  // Checked by a CronJob, the others by Pods that the operator makes.
  minutely: { resource: 'counter.slow', interval: '* * * * *' },
  pausable: { resource: 'counter.held', interval: '@every 15s' },
};

export const PIPELINES: readonly string[] = [...new Set(JOBS.map(({ pipeline }) => pipeline))];

/** The lines that a step writes when it comes to its end. `run` is drawn by the script. */
export const linesOf = ({ name, lines, exit }: StepSpec, run: string): string[] => [
  `${name} began ${run}`,
  ...Array.from({ length: lines }, (_, index) => `${name} line ${index + 1}`),
  ...(exit === undefined ? [`${name} ended`] : []),
];

/** Which lines of a log are ours: the rest is Millrace's own. */
export const isOurLine = (line: string, { steps }: JobSpec): boolean =>
  steps.some(({ name }) => line.startsWith(`${name} `));

const script = ({ name, lines, image, pauseSeconds = 0, exit }: StepSpec, address: Address): string => {
  const query = `pipeline=$BUILD_PIPELINE_NAME&job=$BUILD_JOB_NAME&number=$BUILD_NUMBER&pod=$pod&step=${name}&run=$run`;
  const url = `http://${address.host}:${address.port}/ran?${query}`;
  const tell = image === undefined ? 'curl -sS -m 5 --retry 2 -o /dev/null' : 'wget -q -O /dev/null';
  return [
    'read -r run < /proc/sys/kernel/random/uuid',
    'read -r pod < /proc/sys/kernel/hostname',
    `${tell} "${url}" || echo "the soak run did not hear of it"`,
    `echo "${name} began $run"`,
    'n=1',
    `while [ "$n" -le ${lines} ]; do`,
    `  echo "${name} line $n"`,
    '  n=$((n + 1))',
    `  sleep ${pauseSeconds}`,
    'done',
    exit === undefined ? `echo "${name} ended"` : `exit ${exit}`,
  ].join('\n');
};

const indent = (text: string, by: number): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : ' '.repeat(by) + line))
    .join('\n');

const command = (word: string, spec: StepSpec, address: Address): string => {
  const runner = spec.image === undefined ? 'shell' : 'docker';
  const image = spec.image === undefined ? '' : `  image = "${spec.image}"\n`;
  return `${word} "${runner}" {\n${image}  cmd   = <<-EOT\n${indent(script(spec, address), 4)}\n  EOT\n}`;
};

const stepText = (spec: StepSpec, address: Address): string =>
  spec.kind === 'put'
    ? `put "ledger" "book" {\n  n = "$GET_TICK_N"\n}`
    : `task "${spec.name}" {\n${indent(command('run', spec, address), 2)}\n}`;

const jobText = ({ job, steps, trigger }: JobSpec, address: Address): string => {
  const [type, label] = trigger?.resource.split('.') ?? [];
  const passed = trigger?.passed === undefined ? '' : `\n  passed  = ["${trigger.passed}"]`;
  const get = trigger === undefined ? [] : [`get "${type}" "${label}" {\n  trigger = true${passed}\n}`];
  const parts = [...get, ...steps.map((spec) => stepText(spec, address))];
  return `job "${job}" {\n${indent(parts.join('\n\n'), 2)}\n}`;
};

const counter = (pipeline: string, address: Address, resting: boolean): string[] => {
  const known = RESOURCES[pipeline];
  if (known === undefined) return [];
  const [type, label] = known.resource.split('.');
  const url = `http://${address.host}:${address.port}/versions/${known.resource}?after=$after`;
  const check = `after=$\${version_n:-0}\ncurl -sS --fail -m 5 "${url}"`;
  const interval = resting ? '' : `\n  check_interval = "${known.interval}"\n`;
  return [
    `resource_type "${type}" {\n  check "shell" {\n    cmd = <<-EOT\n${indent(check, 6)}\n    EOT\n  }\n}`,
    `resource "${type}" "${label}" {${interval}}`,
  ];
};

const ledger = (jobs: readonly JobSpec[], address: Address): string[] => {
  const put = jobs.flatMap(({ steps }) => steps).find(({ kind }) => kind === 'put');
  if (put === undefined) return [];
  return [
    `resource_type "ledger" {\n${indent(command('push', put, address), 2)}\n}`,
    'resource "ledger" "book" {}',
  ];
};

/**
 * The text of a pipeline. `edition` changes the text and nothing else; a resting one checks nothing by
 * itself.
 */
export const pipelineText = (
  pipeline: string,
  address: Address,
  { edition, resting = false }: { edition: number; resting?: boolean },
): string => {
  const jobs = JOBS.filter((job) => job.pipeline === pipeline);
  const parts = [
    `# Edition ${edition}`,
    ...counter(pipeline, address, resting),
    ...ledger(jobs, address),
    ...jobs.map((job) => jobText(job, address)),
  ];
  return `${parts.join('\n\n')}\n`;
};
