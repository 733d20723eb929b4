/** What a name from another CI system is called in Millrace, and how to write it. */
interface Synonym {
  name: string;
  help: string;
}

const synonym = (name: string, help: string): Synonym => ({ name, help });

const FOR_EACH = synonym(
  'for_each',
  'Write for_each = toset(["…"]) or a map in the job or resource; each.key names the instance.',
);
const PASSED = synonym(
  'passed',
  'Steps run in the order of the text; between jobs write passed = ["<job>"] in a get.',
);
const VARIABLE = synonym(
  'variable',
  'Write variable "<name>" { type = string, default = "…" } on lines of its own, and var.<name> where it is used.',
);
const JOB = synonym(
  'job',
  'Write job "<name>" { … } at the top and its steps directly in it, in their order.',
);
const TASK = synonym(
  'task',
  'Write task "<name>" { run "shell" { cmd = "…" } }, each block on lines of its own.',
);
const COMMAND = synonym('cmd', 'Write run "shell" { cmd = "…" } in a task.');
const IF = synonym('if', `Write if "$INPUT_ENV == 'prod'" { … } around the steps.`);
const ENV = synonym('env of a step', 'Write env = { NAME = "value" } in a task, get, put or command.');

/** Synonyms that apply only at the top level. Inside other blocks, these names have a meaning in Millrace. */
const AT_THE_TOP: Readonly<Record<string, Synonym>> = {
  runner: synonym(
    'runner_type',
    'Write runner_type "<name>" { … } to declare one, run "<runner>" { … } in a task to use one.',
  ),
  service: synonym(
    'service_type',
    'Write service_type "<name>" { … } to declare one, service "<type>" { … } in a job to use one.',
  ),
  secret: synonym(
    'variable',
    'Write the secret block in a variable: variable "<name>" { secret "<type>" { … } }.',
  ),
  trigger: synonym('trigger of a get', 'Write trigger = true in the get whose new versions start the job.'),
};

const SYNONYMS: Readonly<Record<string, Synonym>> = {
  locals: VARIABLE,
  local: VARIABLE,
  vars: VARIABLE,
  module: synonym(
    'source',
    'There are no modules: a type takes its definition from a source, and for_each repeats a job.',
  ),
  dynamic: FOR_EACH,
  count: FOR_EACH,
  strategy: synonym('matrix', 'Write matrix { <axis> = ["…"] } in the job.'),
  across: synonym('matrix', 'Write matrix { <axis> = ["…"] } in the job.'),
  depends_on: PASSED,
  needs: PASSED,
  env: ENV,
  environment: ENV,
  serial: synonym(
    'concurrency',
    'Write concurrency = 1 for one build at a time, serial_groups = ["<name>"] for several jobs.',
  ),
  max_in_flight: synonym('concurrency', 'Write concurrency = <number>.'),
  on_error: synonym('on_failure', 'Write on_failure { … }; a timeout is a failure too.'),
  on_abort: synonym('on_cancel', 'Write on_cancel { … }.'),
  always: synonym('ensure', 'Write ensure { … }.'),
  finally: synonym('ensure', 'Write ensure { … }.'),
  parallel: synonym('in_parallel', 'Write in_parallel { … } around the steps.'),
  aggregate: synonym('in_parallel', 'Write in_parallel { … } around the steps.'),
  retry: synonym('attempts', 'Write attempts = <number> in the step.'),
  retries: synonym('attempts', 'Write attempts = <number> in the step.'),
  when: IF,
  only: IF,
  rules: IF,
  elif: synonym('else_if', 'Write else_if "<condition>" { … } directly after the if.'),
  elsif: synonym('else_if', 'Write else_if "<condition>" { … } directly after the if.'),
  plan: JOB,
  stage: JOB,
  stages: JOB,
  workflow: JOB,
  step: TASK,
  steps: TASK,
  script: COMMAND,
  command: COMMAND,
  check_every: synonym('check_interval', 'Write check_interval = "@every 5m" in the resource.'),
  cron: synonym(
    'resource',
    'Write resource "cron" "<name>" { check_interval = "…" } and get it with trigger = true.',
  ),
  schedule: synonym(
    'resource',
    'Write resource "cron" "<name>" { check_interval = "…" } and get it with trigger = true.',
  ),
  parameters: synonym(
    'input',
    'Write input "<name>" { type = string } in the job; builds see $INPUT_<NAME>.',
  ),
};

/**
 * The synonym for a name from another system. Undefined: there is none. `owner`: the type of the block in
 * which the name is; empty at the top level.
 */
export function synonymOf(name: string, owner: string): Synonym | undefined {
  if (owner === '' && Object.hasOwn(AT_THE_TOP, name)) return AT_THE_TOP[name];
  const result = Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : undefined;
  return result?.name === owner ? undefined : result;
}
