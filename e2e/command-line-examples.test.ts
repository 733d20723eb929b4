import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  choosePassword,
  confirmLogin,
  createAccount,
  createToken,
  deleteAccount,
  PASSWORD,
} from '#e2e/support/accounts.ts';
import { CommandLine } from '#e2e/support/command-line.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi, request } from '#e2e/support/gateway.ts';
import { isLocal, VERBS } from '#testing/cli/verbs.ts';

/*
 * Runs each example that `millrace <verb> --help` shows at a real gateway, in a shell. The examples share a
 * server, a team `shop`, a pipeline `app` and a user `ann`. The verbs that need no server have
 * src/cli/help-examples.child-process.test.ts.
 */
const TEAM = teamName('e2e-help');
const [ANN, ADMIN] = [teamName('ann'), teamName('help-admin')];

/**
 * Every check finds a version. The inputs of the job `unit` choose its duration and outcome. The pull also
 * works without a cache, because another build may use the cache.
 */
const APP = `variable "branch" {
  type    = string
  default = "main"
}

resource_type "git" {
  cache = true

  check "shell" {
    cmd = "echo '[{\\"ref\\": \\"\${var.branch}\\"}]'"
  }

  pull "shell" {
    cmd = "test -z $CACHE_DIR || mkdir -p $CACHE_DIR"
  }
}

resource "git" "app" {
  check_interval = "0 0 1 1 *"
}

resource "trigger" "released" {}

job "unit" {
  input "exit" {
    type    = number
    default = 0
  }

  input "seconds" {
    type    = number
    default = 0
  }

  get "git" "app" {}

  cache "modules" {
    path = "modules"
    key  = "modules"
  }

  task "test" {
    run "shell" {
      cmd = "mkdir -p modules; touch report.xml; sleep $INPUT_SECONDS; exit $INPUT_EXIT"
    }
  }
}

job "publish" {
  task "publish" {
    run "shell" {
      cmd = "echo published"
    }
  }
}

job "deploy" {
  input "environment" {
    type    = choice
    options = ["staging", "prod"]
  }

  input "targets" {
    type    = list
    options = ["eu", "us"]
    default = ["eu"]
  }

  approve "go live" {}

  task "deploy" {
    run "shell" {
      cmd = "echo deployed"
    }
  }
}
`;

let cli: CommandLine;
/** A session of Ann in another browser. */
let session: string;
const api = pipelineApi(TEAM, 'app');

beforeAll(async () => {
  cli = await CommandLine.open();
  await createTeam(TEAM, { cache: { size: '16Mi' }, debug: true });
  await createAccount(ANN);
  await createAccount(ADMIN, { globalAdmin: true });
  session = await choosePassword(ANN);
  await choosePassword(ADMIN);
  await cli.write('app.hcl', APP);
  await cli.write('prod.json', '{"branch": "main"}');
  await cli.write('key.pem', 'a key');
  await cli.install('xdg-open', `echo "$1" >> '${cli.folder}/opened.txt'`);
}, 600_000);

afterAll(async () => {
  await cli.close();
  await deleteTeam(TEAM);
  await Promise.all([ANN, ADMIN].map(deleteAccount));
}, 600_000);

/**
 * Names in the examples → names in this cluster. The functions that prepare a verb's examples may add names.
 */
type Names = Record<string, string>;

const names = (): Names => ({
  'https://ci.example.org': cli.url,
  shop: TEAM,
  ann: ANN,
  '2027-01-31T12:00:00Z': new Date(Date.now() + 86_400_000).toISOString(),
});

type Prepare = (example: string) => Promise<Names | void>;

// The functions below prepare the examples of a verb. They return the names of what they create.

async function writeTokenFile(example: string): Promise<void> {
  if (example.endsWith('< token.txt')) await cli.write('token.txt', await createToken(session, 'first'));
}

async function logIn(): Promise<void> {
  const call = ['login', cli.url, '--username', ADMIN, '--context', 'work', '--team', TEAM];
  expect((await cli.millrace(call, { input: `${PASSWORD}\n` })).stderr).toContain(` as ${ADMIN}`);
}

async function triggerJob(job: string, inputs: object): Promise<string> {
  return created(await api.post(`jobs/${job}/trigger`, { inputs })).number;
}

async function endedUnit(exit: number): Promise<Names> {
  const number = await triggerJob('unit', { exit });
  await buildEnded(TEAM, 'app', 'unit', number);
  return { 'app/unit/7': `app/unit/${number}` };
}

let goodBuild: Names | undefined;
async function goodUnit(): Promise<Names> {
  return (goodBuild ??= await endedUnit(0));
}

async function failedUnit(): Promise<Names> {
  return await endedUnit(1);
}

async function longUnit(): Promise<Names> {
  return { 'app/unit/7': `app/unit/${await triggerJob('unit', { seconds: 600 })}` };
}

let runningBuild: Names | undefined;
async function runningUnit(): Promise<Names> {
  const unitNames = (runningBuild ??= await longUnit());
  const [, , number = ''] = Object.values(unitNames).join('').split('/');
  await eventually(async () => {
    const { steps = [] } = await api.build('unit', number);
    if (!steps.some(({ name, status }) => name === 'test' && status === 'started'))
      throw new Error(`unit ${number} does not run its task yet`);
  });
  return unitNames;
}

async function waitingDeploy(): Promise<Names> {
  return { 'app/deploy/3': `app/deploy/${await triggerJob('deploy', { environment: 'prod' })}` };
}

async function newestVersion(): Promise<Names> {
  return await eventually(async () => {
    const [newest] = await api.versions('git.app');
    if (newest === undefined) throw new Error('git.app has no version yet');
    return { '42': String(newest.id) };
  });
}

async function deleteApp(): Promise<void> {
  await request('DELETE', api.path);
  await eventually(async () => expect((await request('GET', api.path)).status).toBe(404));
}

async function createApp(): Promise<void> {
  await eventually(async () => {
    const made = await cli.millrace('pipelines create app -c app.hcl');
    if (made.code !== 0) throw new Error(made.stdout + made.stderr);
  });
}

/** Ends all builds, because a pipeline with a build that has not ended cannot be renamed. */
async function cancelBuilds(): Promise<void> {
  for (const job of ['unit', 'publish', 'deploy']) {
    for (const { number, ended_at: end } of await api.builds(job))
      if (end === undefined) await api.post(`jobs/${job}/builds/${number}/cancel`);
    for (const { number } of await api.builds(job)) await buildEnded(TEAM, 'app', job, number);
  }
}

/** The verbs in an order in which each finds what it needs, and what to prepare for each example. */
const ORDER: readonly (readonly [verb: string, prepare?: Prepare])[] = [
  ['login', writeTokenFile],
  ['whoami', logIn],
  ['contexts list'],
  ['contexts use'],
  ['contexts set-team'],
  ['teams list'],
  ['teams get'],
  ['tokens create'],
  ['tokens list'],
  ['tokens revoke'],
  ['pipelines create', deleteApp],
  ['pipelines list'],
  ['pipelines get'],
  ['pipelines validate'],
  ['pipelines update'],
  ['diff'],
  ['resources check', newestVersion],
  ['resources list'],
  ['resources get'],
  ['resources versions'],
  ['trigger'],
  ['builds watch', goodUnit],
  ['builds list'],
  ['builds get', goodUnit],
  ['builds logs', goodUnit],
  ['builds retry', goodUnit],
  ['builds warn', failedUnit],
  ['builds cancel', longUnit],
  ['builds approve', waitingDeploy],
  ['builds reject', waitingDeploy],
  ['debug', runningUnit],
  ['why'],
  ['jobs list'],
  ['jobs pause'],
  ['jobs unpause'],
  ['pipelines pause'],
  ['pipelines unpause'],
  ['resources pin', newestVersion],
  ['resources unpin'],
  ['resources disable', newestVersion],
  ['resources enable', newestVersion],
  ['resources trigger', newestVersion],
  ['caches list'],
  ['caches clear'],
  ['secrets set'],
  ['secrets list'],
  ['secrets delete'],
  ['triggers emit'],
  ['triggers list'],
  ['members set'],
  ['members list'],
  ['members remove'],
  ['users list'],
  ['users get'],
  ['users disable'],
  ['users enable'],
  ['providers list'],
  ['audit list'],
  ['open'],
  ['pipelines rename', cancelBuilds],
  ['pipelines delete', createApp],
  ['contexts delete'],
  ['logout', logIn],
];

/** Examples that ask at the terminal, and what a person types. */
const TYPED: Record<string, readonly (readonly [question: string, answer: string])[]> = {
  'millrace login https://ci.example.org --username ann': [['Password: ', PASSWORD]],
  'millrace secrets set FORGE_TOKEN': [['Value of FORGE_TOKEN: ', 'a token']],
  'millrace pipelines delete app': [['[y/N] ', 'y']],
};

/** Examples of logins that a person confirms in the browser that the program opens. */
const IN_BROWSER = new Set([
  'millrace login https://ci.example.org',
  'millrace login https://ci.example.org --context work --team shop',
]);

/** Confirms the login whose code a file shows: the first group of the pattern. */
const confirm = async (file: string, pattern: RegExp): Promise<void> => {
  const code = await eventually(async () => {
    const [, found] = pattern.exec(await cli.read(file)) ?? [];
    if (found === undefined) throw new Error(`${file} shows no code yet`);
    return found;
  });
  await confirmLogin(session, code);
};

async function runExample(example: string, command: string): Promise<void> {
  const answers = TYPED[example];
  if (answers !== undefined) await cli.type(command, answers);
  else if (IN_BROWSER.has(example)) {
    await cli.write('opened.txt', '');
    await Promise.all([cli.type(command, []), confirm('opened.txt', /[?]code=(\S+)/)]);
  } else if (example.endsWith(' --no-browser')) {
    await cli.write('login.txt', '');
    await Promise.all([inShell(`${command} 2> login.txt`), confirm('login.txt', /code (\S+):/)]);
  } else await inShell(command);
}

async function inShell(command: string): Promise<void> {
  const { code, stdout, stderr } = await cli.shell(command);
  if (code !== 0) throw new Error(`$ ${command}\nexit code ${code}\n${stdout}${stderr}`);
}

const CASES = ORDER.map(([verb, prepare]) => ({ verb, prepare }));

test.each(CASES)('each example of `millrace $verb --help` runs', async ({ verb, prepare }) => {
  const examples = VERBS.find(({ path }) => path === verb)?.examples ?? [];
  expect(examples).not.toEqual([]);
  for (const example of examples) {
    expect(example).toContain(`millrace ${verb}`);
    const replacements: Names = { ...names(), ...(await prepare?.(example)) };
    const words = example.split(' ').map((word) => replacements[word] ?? word);
    await runExample(example, words.join(' '));
  }
});

test('this file runs the examples of every verb that needs a server', () => {
  const served = VERBS.filter((verb) => !isLocal(verb)).map(({ path }) => path);
  expect(ORDER.map(([verb]) => verb).toSorted()).toEqual(served.toSorted());
});
