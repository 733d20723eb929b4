import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAccount, deleteAccount, FIRST_PASSWORD, PASSWORD } from '#e2e/support/accounts.ts';
import { CommandLine } from '#e2e/support/command-line.ts';
import type { Finished } from '#e2e/support/command.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { createTeam, deleteTeam, teamName, UNTIL_RELEASED } from '#e2e/support/fixtures.ts';
import { startGitServer } from '#e2e/support/git-server.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { VERBS } from '#testing/cli/verbs.ts';
import { pushCommit } from '#tools/demo/commit.ts';
import type { ReachableService } from '#tools/demo/reach.ts';

/* A developer's day with nothing but the command line. Each test continues where the previous one ended. */
const TEAM = teamName('e2e-cli');
const FORGE = `${TEAM}-forge`;
const [ANN, BOB] = [teamName('ann'), teamName('bob')];

let cli: CommandLine;
let forge: ReachableService;
let firstCommit: string;

beforeAll(async () => {
  [cli, forge] = await Promise.all([CommandLine.open(), startGitServer(FORGE)]);
  await createTeam(TEAM, { cache: { size: '16Mi' }, debug: true });
  await createAccount(ANN, { globalAdmin: true });
  await createAccount(BOB);
  firstCommit = (await pushCommit(`${forge.url}/app.git`)).ref;
}, 600_000);

afterAll(async () => {
  forge.close();
  await cli.close();
  await Promise.all([ANN, BOB].map(deleteAccount));
  await deleteTeam(TEAM);
  await kubectl('delete', 'namespace', FORGE, '--wait=false');
}, 600_000);

type Call = Parameters<CommandLine['millrace']>;

async function exits(code: number, ...call: Call): Promise<Finished> {
  const ran = await cli.millrace(...call);
  const seen = `${ran.stdout}${ran.stderr}`;
  if (ran.code !== code) throw new Error(`millrace ${String(call[0])}: exit code ${ran.code}\n${seen}`);
  return ran;
}

/** The standard output of a command that succeeds. */
const output = async (...call: Call): Promise<string> => (await exits(0, ...call)).stdout;

/** The cells of the row that begins with a name. */
const row = (table: string, name: string): string[] =>
  table
    .split('\n')
    .find((text) => text.startsWith(`${name} `))
    ?.split(/ {3,}/) ?? [];

const pipeline = (unit = 'echo tested $GET_APP_REF'): string => `resource "git" "app" {
  check_interval = "0 0 1 1 *"

  params {
    url    = "http://git.${FORGE}.svc/app.git"
    name   = "app"
    branch = "main"
  }
}

resource "trigger" "released" {}

job "unit" {
  get "git" "app" {
    trigger = true
  }

  cache "modules" {
    path = "modules"
    key  = "modules"
  }

  task "test" {
    run "shell" {
      cmd = "mkdir -p modules; ${unit}"
    }
  }
}

job "deploy" {
  input "environment" {
    type    = choice
    options = ["staging", "prod"]
  }

  approve "go live" {}

  get "git" "app" {
    passed = ["unit"]
  }

  task "deploy" {
    run "shell" {
      cmd = "echo deployed $GET_APP_REF to $INPUT_ENVIRONMENT"
    }
  }
}

job "publish" {
  get "trigger" "released" {
    trigger = true
  }

  task "publish" {
    run "shell" {
      cmd = "echo published $GET_RELEASED_TAG with $MASKED"
      env = { MASKED = var.key }
    }
  }
}

job "lint" {
  task "lint" {
    run "shell" {
      cmd = "echo linted"
    }
  }
}

variable "key" {
  type = string

  secret "store" {
    key = "DEPLOY_KEY"
  }
}
`;

test('log in with the first password, choose another, and work in a context', async () => {
  const login = `millrace login ${cli.url} --username ${ANN} --context work --team ${TEAM}`;
  const screen = await cli.type(login, [
    ['Password: ', FIRST_PASSWORD],
    ['New password: ', PASSWORD],
    ['Repeat the new password: ', PASSWORD],
  ]);
  expect(screen).toContain(`Logged in at ${cli.url} as ${ANN}`);
  expect(await output('whoami')).toBe(`${ANN} at ${cli.url}: every team (global admin)\n`);
  await exits(0, `login ${cli.url} --username ${ANN} --context home`, { input: `${PASSWORD}\n` });
  await exits(0, `contexts set-team ${TEAM}-elsewhere --context home`);
  expect(await output('open --print')).toBe(`${cli.url}/teams/${TEAM}-elsewhere/pipelines\n`);
  expect((await exits(0, 'contexts use work')).stderr).toContain(`the team ${TEAM}.\n`);
  expect((await exits(0, 'pipelines list')).stderr).toBe(`Team ${TEAM} has no pipelines.\n`);
  expect(await output('contexts list -o name')).toBe('context/work\ncontext/home\n');
  expect((await exits(0, 'contexts delete home')).stderr).toContain('You are still logged in');
});

test('manage the members, accounts, tokens and secrets of a team', async () => {
  expect(await output('teams list -o name')).toContain(`team/${TEAM}\n`);
  expect(await output(`teams get ${TEAM}`)).toContain(`name:         ${TEAM}\n`);
  expect(await output(`members set ${BOB} --role write`)).toBe(`${TEAM}: ${BOB} has the role write\n`);
  expect(row(await output('members list'), BOB)).toEqual([BOB, 'write']);
  expect(await output('users list -o name')).toContain(`user/${BOB}\n`);
  expect(await output(`users disable ${BOB}`)).toBe(`${BOB}: disabled\n`);
  expect(await output(`users get ${BOB}`)).toMatch(/^state: +disabled$/m);
  expect(await output(`users enable ${BOB}`)).toBe(`${BOB}: enabled\n`);
  await exits(0, `members remove ${BOB}`);
  expect(await output('members list -o name')).not.toContain(BOB);

  const token = (await output('tokens create day --role read')).trim();
  const asToken = { environment: { MILLRACE_URL: cli.url, MILLRACE_TOKEN: token } };
  await exits(0, `pipelines list --team ${TEAM}`, asToken);
  expect(row(await output('tokens list'), 'day').slice(0, 2)).toEqual(['day', `${TEAM} (read)`]);
  await exits(0, 'tokens revoke day');
  const revoked = await exits(2, `pipelines list --team ${TEAM}`, asToken);
  expect(revoked.stderr).toContain('Check MILLRACE_TOKEN: it may be deleted or expired');

  await exits(0, 'secrets set DEPLOY_KEY --stdin', { input: 'c4nary-of-the-day' });
  await exits(0, 'secrets set STAGE --plain --stdin', { input: 'live' });
  expect(row(await output('secrets list'), 'STAGE').slice(0, 3)).toEqual(['STAGE', 'plain', 'live']);
  expect(await output('secrets list -o json')).not.toContain('c4nary');
  await exits(0, 'secrets delete STAGE');
  expect(await output('secrets list -o name')).toBe(`secret/${TEAM}/DEPLOY_KEY\n`);
});

test('write a pipeline, validate it here and on the server, format it, print its graph and run a job', async () => {
  await cli.write('app.hcl', 'job "unit" {\n  get "git" "nowhere" {}\n  tsk "test" {}\n}\n');
  for (const verb of ['validate', 'pipelines validate']) {
    const { stdout } = await exits(1, `${verb} app.hcl`);
    expect(stdout).toContain('app.hcl:3:3: error[');
    expect(stdout).toContain('\n3 |   tsk "test" {}\n  |   ^~~\n');
    expect(stdout).toMatch(/^app\.hcl: not valid, 2 errors$/m);
  }
  await cli.write('app.hcl', pipeline().replace('  get "git"', 'get "git"'));
  expect((await exits(1, 'fmt --check app.hcl')).stdout).toBe('app.hcl\n');
  await exits(0, 'fmt app.hcl');
  expect(await cli.read('app.hcl')).toBe(pipeline());
  expect(await output('validate app.hcl')).toBe('app.hcl: valid, 4 jobs, 2 resources\n');
  expect(await output('pipelines validate app.hcl')).toBe('app.hcl: valid\n');
  expect(await output('graph app.hcl')).toMatch(/^digraph "app" \{/);
  expect(await output('plan app.hcl --job unit')).toContain('task test');
  expect(await output('types list -o name')).toContain('git');
  expect(await output('types show git')).toContain('resource_type "git"');
  await cli.write(
    'old.yml',
    'jobs:\n  - name: unit\n    plan:\n      - get: app\n' +
      'resources:\n  - {name: app, type: git, source: {uri: https://git.example.org/app.git}}\n',
  );
  expect(await output('convert --from concourse old.yml')).toContain('resource "git" "app"');
  expect(await output('run -p app.hcl -j lint --var key=none')).toContain('linted\n');
  expect(await output('completion bash')).toContain('builds');
});

test('save the pipeline, watch its first build succeed, and find the commit that was built', async () => {
  expect(await output('pipelines create app -c app.hcl')).toBe(`${TEAM}/app: created, it runs\n`);
  const { stdout, stderr } = await exits(0, 'builds watch app/unit --wait');
  expect(stdout).toContain(`tested ${firstCommit}\n`);
  expect(stderr).toMatch(/^app\/unit 1: succeeded after /m);
  expect(await output('pipelines list -o name')).toBe(`pipeline/${TEAM}/app\n`);
  expect(await output('pipelines get app --config')).toBe(pipeline());
  expect(row(await output('jobs list app'), 'unit').slice(0, 3)).toEqual(['unit', '1', 'succeeded']);
  expect(await output('builds list app/unit -o name')).toBe(`build/${TEAM}/app/unit/1\n`);
  expect(await output('builds get app/unit -o jsonpath={.inputs[0].version.ref}')).toBe(firstCommit);
  expect(await output('resources versions app/git.app')).toContain(`ref=${firstCommit}`);
  expect(row(await output('resources list app'), 'git.app').slice(0, 2)).toEqual(['git.app', '1']);
  expect(await output('resources get app/git.app')).toMatch(/^versions: +1$/m);
  expect(await output('diff app -c app.hcl')).toBe('');
  expect(await output('caches list --pipeline app')).toMatch(/^unit:modules /m);
  for (const cache of ['git.app', 'unit:modules'])
    expect((await exits(0, `caches clear ${cache} --pipeline app`)).stderr).toContain(
      `the cache of ${cache}`,
    );
});

test('break the pipeline, read what happened, and mend it', async () => {
  await cli.write('app.hcl', pipeline('echo broken; exit 3'));
  expect((await exits(1, 'diff app -c app.hcl')).stdout).toContain('broken; exit 3');
  expect(await output('pipelines update app -c app.hcl')).toContain(`${TEAM}/app: updated, it runs\n`);
  const broken = await exits(1, 'trigger app/unit --no-check --watch');
  expect(broken.stdout).toContain('broken\n');
  expect(broken.stderr).toMatch(/^app\/unit 2: failed after /m);
  await exits(1, 'builds watch app/unit/2');
  const [step, status, , code] = row(await output('builds get app/unit/2'), 'task test');
  expect([step, status, code]).toEqual(['task test', 'failed', '3']);
  expect(await output('builds logs app/unit/2 --timestamps')).toMatch(/Z broken$/m);
  expect(await output('builds list app/unit --status failed -o name')).toBe(`build/${TEAM}/app/unit/2\n`);
  expect((await exits(1, 'builds retry app/unit/2 --watch')).stderr).toMatch(/^app\/unit 2\.1: failed /m);
  await exits(0, 'builds warn app/unit/2');
  expect(await output('builds get app/unit/2')).toMatch(/^status: +warning$/m);
  await cli.write('app.hcl', pipeline(`until ${UNTIL_RELEASED}; do sleep 0.1; done`));
  await exits(0, 'pipelines update app -c app.hcl');
  await exits(0, 'trigger app/unit --no-check');
  await eventually(async () => await exits(0, 'debug app/unit --step test -- true'));
  // The step may end before this command reports its own end, so the exit code does not matter.
  await cli.millrace('debug app/unit -- touch /dev/shm/go');
  await exits(0, 'builds watch app/unit');
  await cli.write('app.hcl', pipeline());
  await exits(0, 'pipelines update app -c app.hcl');
  expect(await output('trigger app/unit --watch')).toContain(`tested ${firstCommit}\n`);
});

test('ask for approval, and see why a build waits', async () => {
  const refused = await exits(2, 'trigger app/deploy --input environment=nowhere');
  expect(refused.stderr).toContain('staging, prod');
  const prod = 'trigger app/deploy --input environment=prod';
  expect(await output(prod)).toContain('app/deploy: build 1, https://');
  expect(await output('why app/deploy -o jsonpath={.builds[*].reasons[*].code}')).toBe('WaitingForApproval');
  await exits(0, ['builds', 'approve', 'app/deploy/1', '--message', 'looks good']);
  expect(await output('builds watch app/deploy/1')).toContain(`deployed ${firstCommit} to prod\n`);
  await exits(0, prod);
  await exits(0, ['builds', 'reject', 'app/deploy/2', '--message', 'not on a Friday']);
  expect((await exits(1, 'builds watch app/deploy/2')).stderr).toContain('not on a Friday');
  await exits(0, prod);
  await exits(0, 'builds cancel app/deploy/3');
  expect((await exits(1, 'builds watch app/deploy')).stderr).toMatch(/^app\/deploy 3: cancelled/m);
});

test('pin a version, disable the next version, and enable it again', async () => {
  const ids = async (): Promise<string[]> =>
    (await output('resources versions app/git.app -o jsonpath={.items[*].id}')).split(' ');
  const [old = ''] = await ids();
  await exits(0, ['resources', 'pin', 'app/git.app', old, '--comment', 'until the fix']);
  const { ref: second } = await pushCommit(`${forge.url}/app.git`);
  await exits(0, 'resources check app/git.app');
  const [newest = ''] = await eventually(async () => {
    const found = await ids();
    expect(found).toHaveLength(2);
    return found;
  });
  expect(await output('resources get app/git.app')).toContain('until the fix');
  expect(await output('why app/unit')).toContain('Pinned');
  expect(await output('trigger app/unit --no-check --watch')).toContain(`tested ${firstCommit}\n`);
  await exits(0, `resources disable app/git.app ${newest}`);
  await exits(0, 'resources unpin app/git.app');
  expect(row(await output('resources versions app/git.app'), newest)[2]).toBe('disabled');
  await exits(0, `resources enable app/git.app ${newest}`);
  await eventually(async () => await exits(0, 'builds get app/unit/6'));
  expect(await output('builds watch app/unit/6')).toContain(`tested ${second}\n`);
  expect(await output(`resources trigger app/git.app ${old}`)).toContain('app/unit: build 7, https://');
  expect(await output('builds watch app/unit/7')).toContain(`tested ${firstCommit}\n`);
});

test('pause a job and a pipeline, and see why no build starts', async () => {
  await exits(0, 'jobs pause app/unit');
  expect((await exits(2, 'trigger app/unit --no-check')).stderr).toContain('paused');
  expect(await output('why app/unit')).toContain('JobPaused');
  await exits(0, 'jobs unpause app/unit');
  await exits(0, 'pipelines pause app');
  expect(await output('pipelines get app')).toMatch(/^paused: +yes$/m);
  expect(await output('why app')).toContain('PipelinePaused');
  await exits(0, 'pipelines unpause app');
});

test('announce a release to every pipeline that waits for one', async () => {
  expect(await output('triggers emit released tag=v1.2.3')).toBe('app\n');
  const log = await output('builds watch app/publish --wait');
  expect(log).toMatch(/^published v1\.2\.3 with \*+$/m);
  expect(row(await output('triggers list'), 'released').at(-1)).toBe('app');
  expect(await output('triggers list released')).toContain('tag=v1.2.3');
});

test('see who did what, rename and delete the pipeline, and log out', async () => {
  const done = await output(`audit list --user ${ANN} --limit 100`);
  for (const action of ['pipeline.created', 'job.triggered', 'build.approved', 'resource.pinned'])
    expect(done).toContain(` ${action} `);
  expect((await exits(0, 'providers list')).code).toBe(0);
  const page = `${cli.url}/teams/${TEAM}/pipelines/app/jobs/unit/builds/1`;
  expect(await output('open app/unit/1 --print')).toBe(`${page}\n`);
  expect(await output('pipelines rename app --new-name web')).toBe(
    `${TEAM}/web: renamed from app, it runs\n`,
  );
  expect(await output('builds list web/unit -o name')).toContain('/web/unit/6\n');
  expect(await output('pipelines delete web --yes')).toMatch(
    /web: (?:deleted|will be deleted when its builds have ended)$/m,
  );
  expect((await exits(0, 'logout')).stderr).toBe(`Logged out at ${cli.url}.\n`);
  expect((await exits(2, 'whoami')).stderr).toContain('run millrace login');
});

test('the day used every verb of the program', () => {
  expect(VERBS.map(({ path }) => path).filter((path) => !cli.usedVerbs.has(path))).toEqual([]);
});
