import type { SoakJob } from './history.ts';

/** The address at which scripts of steps and checks reach the soak run. */
export interface RunAddress {
  host: string;
  port: number;
}

/** A step whose script reports its start to the soak run and prints numbered lines. */
export interface StepSpec {
  name: string;
  lines: number;
  kind?: 'put';
  image?: string;
  pauseSeconds?: number;
  exit?: number;
  /** The step reports what its job's cache held, and writes all files of the cache again. */
  cached?: true;
}

/** Files in the cache of a job: each contains the id of the run that wrote it. */
export const CACHED_FILES = 200;

export const HOOK_EVENTS = ['on_success', 'on_failure', 'ensure'] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

export type JobSpec = SoakJob & {
  steps: StepSpec[];
  /** Steps that run at the same time, after `steps`. Each of them waits until all of them have begun. */
  lanes?: StepSpec[];
  hooks?: Partial<Record<HookEvent, StepSpec>>;
  /** A service runs beside the steps, and a notification is sent at the end of every build. */
  withService?: true;
  /** The last step fails on purpose. */
  fails?: boolean;
  /** The resource whose versions trigger the job; `passed` names the upstream job. */
  trigger?: { resource: string; passed?: string };
  /** Weight among the jobs that people trigger. If absent, nobody triggers the job by hand. */
  byHand?: number;
};

const BUSYBOX = 'localhost/millrace-busybox:dev';
const step = (name: string, lines = 3, overrides: Partial<StepSpec> = {}): StepSpec => ({
  name,
  lines,
  ...overrides,
});

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
  {
    pipeline: 'services',
    job: 'whole',
    steps: [step('prepare', 2, { pauseSeconds: 0.5, cached: true })],
    lanes: [step('left', 4, { pauseSeconds: 0.5 }), step('right', 2, { image: BUSYBOX, pauseSeconds: 1 })],
    hooks: { on_success: step('cheer', 1), on_failure: step('mourn', 1), ensure: step('sweep', 2) },
    withService: true,
    byHand: 6,
  },
  {
    pipeline: 'services',
    job: 'torn',
    steps: [step('start', 2, { cached: true }), step('tear', 2, { exit: 7, pauseSeconds: 0.5 })],
    hooks: { on_success: step('cheer', 1), on_failure: step('mourn', 1), ensure: step('sweep', 2) },
    withService: true,
    fails: true,
    byHand: 3,
  },
];

/** Every step that a job may run, with its hooks. */
export const allStepsOf = ({ steps, lanes = [], hooks = {} }: JobSpec): StepSpec[] => [
  ...steps,
  ...lanes,
  ...Object.values(hooks),
];

/** The steps that run in a build with this outcome, with its hooks. */
export const stepsThatRun = ({ steps, lanes = [], hooks = {} }: JobSpec, green: boolean): StepSpec[] => {
  const { on_success: success, on_failure: failure, ensure } = hooks;
  const stepsBeforeHooks = green ? [...steps, ...lanes] : steps;
  return [...stepsBeforeHooks, ...[green ? success : failure, ensure].flatMap((hook) => hook ?? [])];
};

/** Resources by pipeline, with their check intervals during the run. */
export const RESOURCE_OF_PIPELINE: Readonly<Record<string, { resource: string; interval: string }>> = {
  chain: { resource: 'counter.tick', interval: '@every 10s' },
  // Checked by a CronJob; the operator creates the Pods for the others.
  minutely: { resource: 'counter.slow', interval: '* * * * *' },
  pausable: { resource: 'counter.held', interval: '@every 15s' },
};

export const PIPELINES: readonly string[] = [...new Set(JOBS.map(({ pipeline }) => pipeline))];

/** The lines that a step prints if it runs to its end. The script generates the id `run`. */
export const expectedLines = ({ name, lines, exit }: StepSpec, run: string): string[] => [
  `${name} began ${run}`,
  ...Array.from({ length: lines }, (_, index) => `${name} line ${index + 1}`),
  ...(exit === undefined ? [`${name} ended`] : []),
];

/** Whether the line begins with the name of a step of the job, as those of `expectedLines` do. */
export const isStepLine = (line: string, spec: JobSpec): boolean =>
  allStepsOf(spec).some(({ name }) => line.startsWith(`${name} `));

/** Commands that wait until every lane has begun. A build succeeds only if its lanes run at the same time. */
const waitForLanes = (name: string, lanes: readonly StepSpec[]): string[] => [
  `touch "met-${name}"`,
  `until ${lanes.map((lane) => `[ -e "met-${lane.name}" ]`).join(' && ')}; do sleep 0.2; done`,
];

/** Counts the files of the cache by the run that wrote them, in the form of `StepExecution.restored`. */
const RESTORED = "restored=$(cat stamp/* 2>/dev/null | sort | uniq -c | tr -s ' \\n' '._')";

const writeFiles = (from: number, to: number): string =>
  `mkdir -p stamp; for file in $(seq ${from} ${to}); do echo "$run" > "stamp/$file"; done`;

const script = (
  { name, lines, image, pauseSeconds = 0, exit, cached }: StepSpec,
  address: RunAddress,
  lanes: readonly StepSpec[] = [],
): string => {
  const query = `pipeline=$BUILD_PIPELINE_NAME&job=$BUILD_JOB_NAME&number=$BUILD_NUMBER&pod=$pod&step=${name}&run=$run&restored=$restored`;
  const url = `http://${address.host}:${address.port}/ran?${query}`;
  const fetchCommand = image === undefined ? 'curl -sS -m 5 --retry 2 -o /dev/null' : 'wget -q -O /dev/null';
  return [
    'read -r run < /proc/sys/kernel/random/uuid',
    'read -r pod < /proc/sys/kernel/hostname',
    ...(cached === true ? [RESTORED] : ['restored=']),
    `${fetchCommand} "${url}" || echo "the report to the soak run failed"`,
    `echo "${name} began $run"`,
    ...(lanes.length === 0 ? [] : waitForLanes(name, lanes)),
    ...(cached === true ? [writeFiles(1, CACHED_FILES / 2)] : []),
    'n=1',
    `while [ "$n" -le ${lines} ]; do`,
    `  echo "${name} line $n"`,
    '  n=$((n + 1))',
    `  sleep ${pauseSeconds}`,
    'done',
    ...(cached === true ? [writeFiles(CACHED_FILES / 2 + 1, CACHED_FILES)] : []),
    exit === undefined ? `echo "${name} ended"` : `exit ${exit}`,
  ].join('\n');
};

const indent = (text: string, by: number): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : ' '.repeat(by) + line))
    .join('\n');

const command = (
  word: string,
  spec: StepSpec,
  address: RunAddress,
  lanes: readonly StepSpec[] = [],
): string => {
  const runner = spec.image === undefined ? 'shell' : 'docker';
  const image = spec.image === undefined ? '' : `  image = "${spec.image}"\n`;
  return `${word} "${runner}" {\n${image}  cmd   = <<-EOT\n${indent(script(spec, address, lanes), 4)}\n  EOT\n}`;
};

const stepText = (spec: StepSpec, address: RunAddress, lanes: readonly StepSpec[] = []): string =>
  spec.kind === 'put'
    ? `put "ledger" "book" {\n  n = "$GET_TICK_N"\n}`
    : `task "${spec.name}" {\n${indent(command('run', spec, address, lanes), 2)}\n}`;

const laneTexts = (lanes: readonly StepSpec[], address: RunAddress): string[] => {
  if (lanes.length === 0) return [];
  const texts = lanes.map((lane) => stepText(lane, address, lanes));
  return [`in_parallel {\n${indent(texts.join('\n\n'), 2)}\n}`];
};

/** Each build has another key, so a build gets the files that were saved last. */
const CACHE = 'cache "stamp" {\n  path = "stamp"\n  key  = "stamp-$BUILD_NUMBER"\n}';

const jobText = (
  { job, steps, lanes = [], hooks = {}, withService, trigger }: JobSpec,
  address: RunAddress,
): string => {
  const [type, label] = trigger?.resource.split('.') ?? [];
  const passed = trigger?.passed === undefined ? '' : `\n  passed  = ["${trigger.passed}"]`;
  const get = trigger === undefined ? [] : [`get "${type}" "${label}" {\n  trigger = true${passed}\n}`];
  const parts = [
    ...(withService === true ? ['service "beacon" {}'] : []),
    ...(steps.some(({ cached }) => cached === true) ? [CACHE] : []),
    ...get,
    ...steps.map((spec) => stepText(spec, address)),
    ...laneTexts(lanes, address),
    ...Object.entries(hooks).map(([event, spec]) => command(event, spec, address)),
  ];
  return `job "${job}" {\n${indent(parts.join('\n\n'), 2)}\n}`;
};

const counterTexts = (pipeline: string, address: RunAddress, resting: boolean): string[] => {
  const spec = RESOURCE_OF_PIPELINE[pipeline];
  if (spec === undefined) return [];
  const [type, label] = spec.resource.split('.');
  const url = `http://${address.host}:${address.port}/versions/${spec.resource}?after=$after`;
  const check = `after=$\${version_n:-0}\ncurl -sS --fail -m 5 "${url}"`;
  const interval = resting ? '' : `\n  check_interval = "${spec.interval}"\n`;
  return [
    `resource_type "${type}" {\n  check "shell" {\n    cmd = <<-EOT\n${indent(check, 6)}\n    EOT\n  }\n}`,
    `resource "${type}" "${label}" {${interval}}`,
  ];
};

const ledgerTexts = (jobs: readonly JobSpec[], address: RunAddress): string[] => {
  const put = jobs.flatMap(({ steps }) => steps).find(({ kind }) => kind === 'put');
  if (put === undefined) return [];
  return [
    `resource_type "ledger" {\n${indent(command('push', put, address), 2)}\n}`,
    'resource "ledger" "book" {}',
  ];
};

const BUILD_QUERY = 'pipeline=$BUILD_PIPELINE_NAME&job=$BUILD_JOB_NAME&number=$BUILD_NUMBER&pod=$pod';

/** A service that reports every half second that it runs, and a notification that reports each outcome. */
const serviceTexts = (jobs: readonly JobSpec[], address: RunAddress): string[] => {
  if (!jobs.some(({ withService }) => withService === true)) return [];
  const url = `http://${address.host}:${address.port}`;
  const pod = 'read -r pod < /proc/sys/kernel/hostname';
  const sendBeat = `curl -sS -m 5 -o /dev/null "${url}/beat?${BUILD_QUERY}" || :`;
  const beat = `while :; do ${sendBeat}; sleep 0.5; done`;
  const start = [pod, sendBeat, `(${beat}) > /dev/null 2>&1 &`, 'echo $! > beacon-lit'].join('\n');
  const report = [
    pod,
    'read -r run < /proc/sys/kernel/random/uuid',
    `curl -sS -m 5 --retry 2 -o /dev/null "${url}/notified?${BUILD_QUERY}&run=$run&status=$notify_build_status"`,
  ];
  const shell = (word: string, cmd: string): string =>
    `${word} "shell" {\n  cmd = <<-EOT\n${indent(cmd, 4)}\n  EOT\n}`;
  const beacon = [
    shell('start', start),
    shell('stop', 'kill "$(cat beacon-lit)"'),
    shell('ready_check', '[ -s beacon-lit ]'),
  ];
  return [
    `service_type "beacon" {\n${indent(beacon.join('\n\n'), 2)}\n}`,
    `notification_type "crier" {\n${indent(shell('notify', report.join('\n')), 2)}\n}`,
    'notification "crier" "square" {\n  on = ["all"]\n}',
  ];
};

/** The text of a pipeline. `edition` changes only a comment; a resting pipeline has no check interval. */
export const pipelineText = (
  pipeline: string,
  address: RunAddress,
  { edition, resting = false }: { edition: number; resting?: boolean },
): string => {
  const jobs = JOBS.filter((job) => job.pipeline === pipeline);
  const parts = [
    `# Edition ${edition}`,
    ...counterTexts(pipeline, address, resting),
    ...ledgerTexts(jobs, address),
    ...serviceTexts(jobs, address),
    ...jobs.map((job) => jobText(job, address)),
  ];
  return `${parts.join('\n\n')}\n`;
};
