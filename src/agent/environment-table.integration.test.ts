import { beforeAll, expect, test } from '@jest/globals';
import { buildEngine } from '#adapters/hcl/build.ts';
import { createCompiler } from '#adapters/hcl/compile.ts';
import type { AgentWork } from '#domain/build/agent-protocol.ts';
import {
  COMMAND_CONTEXTS,
  ENVIRONMENT_TABLE,
  rowOfVariable,
  type CommandContext,
} from '#domain/pipeline/environment-table.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { nextLookups } from '#domain/planning/next-lookups.ts';
import { findOperation, markOperations } from '#domain/planning/operations.ts';
import { planBuild } from '#domain/planning/plan-build.ts';
import { planChecks } from '#domain/planning/plan-checks.ts';
import { planHooks } from '#domain/planning/plan-hooks.ts';
import { planNotificationRun, type BuildToNotify } from '#domain/planning/plan-notifications.ts';
import { planSecretGets } from '#domain/planning/plan-secret-gets.ts';
import type { CheckRun, Plan } from '#domain/planning/plan.ts';
import { buildTestShim, bundleAgent } from '#testing/agent/build-agent.ts';
import { FakeGateway } from '#testing/agent/fake-gateway.ts';
import { ended, LocalPod } from '#testing/agent/local-pod.ts';
import { makeCertificate } from '#testing/network/certificate.ts';
import { freePort } from '#testing/network/free-port.ts';

/*
 * Every cell of the table of variables: commands in each context, run by a real agent and real shims, print
 * their environment.
 */

const PRINT_ENVIRONMENT = '"exec" { path = "/usr/bin/env" }';

/** Hooks with this name: a command, and a block with each kind of step that a hook may be. */
const hooks = (name: string): string => `
  ${name} ${PRINT_ENVIRONMENT}
  ${name} {
    task "in-${name}" {
      run ${PRINT_ENVIRONMENT}
    }
    put "box" "there" {
      field = "value"
    }
    notify "board" "ops" {
      urgency = "high"
    }
  }`;

const TEXT = `
secret_type "safe" {
  address = "https://safe.test"
  get "shell" { cmd = "printf '{\\"all\\": \\"%s\\"}' \\"$(env | base64 | tr -d '\\\\n')\\"" }
}
variable "token" {
  type = string
  secret "safe" {
    path = "app"
    key  = "all"
  }
}
job "guarded" {
  task "guarded" {
    env = { TOKEN = var.token }
    run ${PRINT_ENVIRONMENT}
  }
}
resource_type "box" {
  params = ["name"]
  check "shell" { cmd = "env >&2; echo '[]'" }
  pull ${PRINT_ENVIRONMENT}
  push ${PRINT_ENVIRONMENT}
}
resource "box" "there" {
  params { name = "there" }
}
resource "trigger" "signal" {}
notification_type "board" {
  params = ["channel", "base_url"]
  notify ${PRINT_ENVIRONMENT}
}
notification "board" "ops" {
  message = "hello"
  on      = ["all"]
  params {
    channel  = "ops"
    base_url = "https://ci.test"
  }
}
service_type "helper" {
  params = ["size"]
  start ${PRINT_ENVIRONMENT}
  stop "exec" { path = "/bin/true" }
}
job "good" {
  input "where" { type = string }
  identity { audience = "one" }
  identity "two" { audience = "two" }
  approve "people" {
    notify "board" "ops" { urgency = "high" }
  }
  service "helper" { size = "large" }
  get "trigger" "signal" { trigger = true }
  task "first" {
    run "shell" { cmd = "echo KEY=value >>$SVC_OUTPUT" }
  }
  get "box" "there" {
    on_success ${PRINT_ENVIRONMENT}
  }
  task "second" {
    run ${PRINT_ENVIRONMENT}
  }
  put "box" "there" {
    field = "build-$BUILD_NUMBER"
    on_success ${PRINT_ENVIRONMENT}
  }
  notify "board" "ops" {
    urgency = "high"
    on_success ${PRINT_ENVIRONMENT}
  }
  ${hooks('on_success')}
  on_trigger ${PRINT_ENVIRONMENT}
  on_trigger {
    notify "board" "ops" { urgency = "high" }
  }
}
job "late" {
  task "slow" {
    timeout = "1s"
    run "exec" {
      path = "/bin/sleep"
      args = ["60"]
    }
    ${hooks('on_failure')}
  }
  ${hooks('on_failure')}
}
`;

const seen = new Map<CommandContext, Set<string>>(COMMAND_CONTEXTS.map((context) => [context, new Set()]));

/** Logs by job and id of the step. */
const logs = new Map<string, string>();

function record(context: CommandContext, output: string): void {
  for (const [, name = ''] of output.matchAll(/^(?:\[\w+\] )?([A-Za-z_]\w*)=/gm)) {
    const row = rowOfVariable(name);
    if (row !== undefined) seen.get(context)?.add(row.name);
  }
}

async function compile(): Promise<Pipeline> {
  await buildEngine();
  const compiler = createCompiler({ processes: 1, timeLimitMs: 60_000 });
  const { pipeline, diagnostics } = await compiler.compile(TEXT, {});
  await compiler.close();
  if (pipeline === undefined) throw new Error(JSON.stringify(diagnostics.map(({ message }) => message)));
  return pipeline;
}

/** Runs an agent to its end; returns what it reported. */
async function runAgent(
  work: (workdir: string) => AgentWork,
  secrets?: FakeGateway['secrets'],
): Promise<FakeGateway> {
  const [shim, bundle, certificate] = await Promise.all([buildTestShim(), bundleAgent(), makeCertificate()]);
  const pod = new LocalPod();
  pod.open(await freePort());
  const session = work(pod.workdir);
  const gateway = new FakeGateway(certificate, session);
  if (secrets !== undefined) gateway.secrets = secrets;
  const tokens = { MILLRACE_ID_TOKEN: 'a.b.one', MILLRACE_ID_TOKEN_TWO: 'a.b.two' };
  gateway.identity = () => ({ tokens });
  await gateway.open();
  const { containers } = session.work === 'build' ? session.plan : session.run;
  for (const { name } of containers) pod.startShim(shim, name);
  try {
    expect(await ended(pod.startAgent(bundle, gateway.url, certificate.cert))).toBe(0);
    return gateway;
  } finally {
    await pod.close();
    await gateway.close();
  }
}

const VERSION = { ref: 'abc' };
const names = { team: 'team', pipeline: 'shop' };
const caches = [{ cache: 1, generation: 1, resource: 'box.there' }];

function contextOfStep(id: string, kind: string): CommandContext {
  if (id.startsWith('notification.')) return 'notification';
  if (id.startsWith('service.')) return 'service';
  if (kind === 'get' || kind === 'put' || kind === 'task' || kind === 'notify') return kind;
  return id.startsWith('on_') ? 'jobHook' : 'stepHook';
}

/** The kinds of all steps, hooks and notifications, by id. */
function kindsOf(plan: Plan): Map<string, string> {
  const kinds = new Map<string, string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { id, kind }: { id?: unknown; kind?: unknown } = value;
    if (typeof id === 'string') kinds.set(id, String(kind));
    for (const inner of Object.values(value)) walk(inner);
  };
  walk([plan.steps, plan.hooks, plan.notifications]);
  for (const { id } of plan.services) kinds.set(`${id}.start`, 'service');
  return kinds;
}

async function recordBuild(
  pipeline: Pipeline,
  job: string,
  versions: Record<string, string>[],
): Promise<void> {
  const build = { id: '1', ...names, job, number: '1', attempt: 1 };
  const plan = planBuild({ build, pipeline, versions, caches });
  const gateway = await runAgent((workdir) => ({ work: 'build', plan: { ...plan, workdir } }));
  for (const [id, kind] of kindsOf(plan)) {
    record(contextOfStep(id, kind), gateway.log(id));
    logs.set(`${job} ${id}`, gateway.log(id));
  }
}

/**
 * The get of a secret type prints its environment as the value of the secret, so read the environment there.
 */
async function recordSecretGet(pipeline: Pipeline): Promise<void> {
  const build = { id: '1', ...names, job: 'guarded', number: '1', attempt: 1 };
  const plan = planBuild({ build, pipeline, versions: [] });
  const lookups = nextLookups(['token'], pipeline, { values: new Map(), missing: new Map() });
  const gets = planSecretGets(lookups, plan.containers);
  const outputs: string[] = [];
  await runAgent(
    (workdir) => ({ work: 'build', plan: { ...markOperations(plan, plan), workdir } }),
    (id, secretOutputs) => {
      if (secretOutputs === undefined) return { answer: 'run', gets, masks: [] };
      outputs.push(JSON.stringify(secretOutputs['token']));
      const operation = findOperation(plan, id);
      return operation ? { answer: 'filled', operation, masks: [] } : { answer: 'wait', reason: id };
    },
  );
  const [output = '{}'] = outputs;
  const { value = '' }: { value?: string } = JSON.parse(output);
  record('secretGet', Buffer.from(value, 'base64').toString());
}

async function recordRun(context: CommandContext, run: CheckRun): Promise<void> {
  const gateway = await runAgent((workdir) => ({
    work: 'checks',
    run: run.hooks ? { ...run, hooks: { ...run.hooks, workdir } } : run,
  }));
  for (const { log } of gateway.results) record(context, log);
  for (const { output } of gateway.hooks) record(context, output);
}

const buildWithoutPod = (moment: 'waiting' | 'ended'): BuildToNotify => ({
  id: 1,
  build: 1,
  moment,
  number: '1',
  status: moment === 'waiting' ? 'waiting' : 'cancelled',
  ...(moment === 'ended' ? { reason: 'Cancelled' } : {}),
  notifications: ['board.ops'],
  versions: [VERSION, VERSION],
  inputs: {},
});

beforeAll(async () => {
  const pipeline = await compile();
  const run = { run: '1', team: 'team', name: 'shop', pipeline };
  await recordBuild(pipeline, 'good', [VERSION, VERSION]);
  await recordBuild(pipeline, 'late', []);
  await recordSecretGet(pipeline);
  await recordRun(
    'check',
    planChecks({
      ...run,
      caches,
      checks: [{ scope: '1', resource: 'box.there', last: VERSION, branches: { main: '6a1f0c4' } }],
    }),
  );
  await recordRun(
    'onTrigger',
    planHooks({
      ...run,
      resource: 'trigger.signal',
      versions: [{ id: '1', fields: VERSION }],
      leftMs: 60_000,
    }),
  );
  const builds = [buildWithoutPod('waiting'), buildWithoutPod('ended')];
  await recordRun(
    'notificationWithoutPod',
    planNotificationRun({ ...run, job: 'good', builds, empty: pipeline }),
  );
}, 600_000);

const cells = ENVIRONMENT_TABLE.flatMap(({ name, seenIn }) =>
  COMMAND_CONTEXTS.map((context) => ({ context, name, expected: context in seenIn })),
);

test.each(cells)('the context $context sees $name: $expected', ({ context, name, expected }) => {
  expect(seen.get(context)?.has(name)).toBe(expected);
});

test.each(['good 4', 'good 4.on_success.0'])(
  'the params of a put are filled in for its push and for its hooks: %s',
  (step) => expect(logs.get(step)).toContain('put_field=build-1\n'),
);
