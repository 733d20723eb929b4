import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { must } from '#e2e/support/command.ts';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { RELEASE } from '#e2e/support/gateway.ts';
import { kubectl, list } from '#e2e/support/kubectl.ts';
import { startChromium } from '#testing/browser/chromium.ts';
import { picture } from '#testing/browser/site.ts';
import { freePort } from '#testing/network/free-port.ts';
import { typeInto } from '#testing/process/type-into.ts';
import { pushCommit } from '#tools/demo/commit.ts';
import { reach, type Reached } from '#tools/demo/reach.ts';
import { readmeCommands } from './commands.ts';
import { serveRegistry, type Registry } from './serve-registry.ts';
import { Shell } from './shell.ts';

/*
 * README's second half as a reader would follow it: its own commands, in its order, in one shell. The
 * installation of the end-to-end suite goes first, so that the names are README's too. What a reader must
 * fill in is filled in: the registry (a real one, on this machine), the repository (a git server in the
 * cluster), a free local port, and what stands in angle brackets.
 */
const COMMANDS = {
  images: 'make images PUSH=',
  chart: 'helm install millrace',
  login: 'make install',
  pipeline: 'kubectl apply -f',
  trigger: 'millrace trigger',
  check: 'kubectl --namespace mine create job',
  demo: 'CLUSTER=existing PUSH=',
} as const;

/** Told by README, and not run: why. */
const NOT_HERE = {
  'make images && for image in': 'kind load: kind needs a container engine, and this machine has none',
  'CLUSTER=existing make demo': 'kind load and k3d image import, for the same reason',
};

const commandsLike = (start: string): string[] =>
  readmeCommands().filter((command) => command.startsWith(start));

test('every command of README for a cluster of your own is run here, or named with the reason why not', () => {
  const known = [...Object.values(COMMANDS), ...Object.keys(NOT_HERE)];
  expect(known.map((start) => [start, commandsLike(start).length])).toEqual(known.map((start) => [start, 1]));
  expect(readmeCommands()).toHaveLength(known.length);
});

const FORGE = 'readme-forge';
/** What a reader types where the program asks; the operator's initial password comes first. */
const CHOSEN_PASSWORD = 'five words that only readme has';

let folder: string;
let environment: NodeJS.ProcessEnv;
let registry: Registry;
let port: number;
let shell: Shell;
let forge: Reached;
/** What a reader fills in. */
const filled: Record<string, string> = {};

const fromReadme = (name: keyof typeof COMMANDS): string =>
  Object.entries(filled).reduce(
    (command, [blank, value]) => command.replaceAll(blank, value),
    commandsLike(COMMANDS[name])[0] ?? '',
  );

/** The checkout as README's commands see it, with the one file in it that its reader is told to edit. */
const prepareFolder = (): void => {
  symlinkSync(join(process.cwd(), 'charts'), join(folder, 'charts'));
  mkdirSync(join(folder, 'config/samples'), { recursive: true });
  const sample = readFileSync('config/samples/own-repository.yaml', 'utf8');
  const url = /https:\/\/git\.example\.org\/\S+/;
  expect(sample).toMatch(url);
  writeFileSync(
    join(folder, 'config/samples/own-repository.yaml'),
    sample.replace(url, `http://git.${FORGE}.svc/app.git`),
  );
};

const removeInstallation = async (): Promise<void> => {
  const { name, namespace } = RELEASE;
  await must('helm', ['uninstall', name, '--namespace', namespace, '--ignore-not-found', '--wait']);
  await kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--timeout=9m');
};

/** The log of a build of the sample's only job, once it has succeeded. */
const succeeded = async (number: number): Promise<string> => {
  let log = '';
  await eventually(async () => {
    log = await must('millrace', ['builds', 'watch', `mine/test/${number}`, '--team', 'mine'], {
      env: environment,
    });
  });
  return log;
};

/**
 * README's block as its reader types it: the command is installed, a port forwarded, the password read and
 * changed.
 */
const logIn = async (): Promise<string> => {
  const [install = '', forward = '', secret = '', login = '', ...more] = fromReadme('login')
    .trim()
    .split('\n');
  expect(more).toEqual([]);
  await must('bash', ['-e', '-c', install], { env: environment });
  await shell.run(forward.replace(/&$/, '> /dev/null 2>&1 &'));
  await eventually(async () => expect((await fetch(`http://localhost:${port}/health`)).status).toBe(200));
  const initial = (await shell.run(secret)).trim();
  const answers = [
    ['Password: ', initial],
    ['New password: ', CHOSEN_PASSWORD],
    ['Repeat the new password: ', CHOSEN_PASSWORD],
  ] as const;
  return await typeInto(login, answers, environment);
};

/**
 * What the end of the demonstration says, done: ports forwarded, the address opened, signed in, a commit
 * followed until it is green.
 */
const openAsPrinted = async (said: string): Promise<void> => {
  const forwards = said.match(/^ {2}kubectl .* port-forward .*:80 &$/gm)?.slice(0, 2) ?? [];
  expect(forwards).toHaveLength(2);
  for (const line of forwards) await shell.run(line.replace(/&$/, '> /dev/null 2>&1 &'));
  const [, address = '', username = '', password = ''] =
    /^ {2}(http:\S+\/teams\/demo\/pipelines\/app)\n {2}user: +(\S+)\n {2}password: (\S+)$/m.exec(said) ?? [];
  expect(address).not.toBe('');
  const [, repository = ''] = /^ {2}git clone (\S+) /m.exec(said) ?? [];
  // Asked as a browser asks: others who are not signed in get 404 for what is private.
  const asBrowser = { headers: { accept: 'text/html' } };
  await eventually(async () => expect((await fetch(address, asBrowser)).status).toBe(200));
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    await page.goto(address);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(address);
    expect(await page.locator('h1').innerText()).toBe('Sample application');
    const publish = page
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: 'publish', exact: true }) });
    const newest = (): Promise<string> => publish.getByRole('cell').first().innerText();
    const before = await newest();
    expect(before).toMatch(/^\d+ succeeded$/);
    await pushCommit(repository);
    // Nobody reloads the page: it follows by itself.
    await eventually(async () => expect(await newest()).toBe(`${parseInt(before, 10) + 1} succeeded`));
    await picture(page, 'demo-pipeline', process.env['PICTURES']);
  } finally {
    await browser.close();
  }
};

let failed: string | undefined;
/** Each step stands on the one before. */
const step = (name: string, act: () => Promise<void>, limit: number): void =>
  test(
    name,
    async () => {
      if (failed !== undefined) throw new Error(`not tried, because this failed: ${failed}`);
      failed = name;
      await act();
      failed = undefined;
    },
    limit,
  );

describe('README, word for word', () => {
  beforeAll(async () => {
    if (!isEmbedded)
      throw new Error(
        `Only for the embedded cluster: this uninstalls the release ${RELEASE.name}. Run without CLUSTER=existing.`,
      );
    folder = mkdtempSync(join(tmpdir(), 'millrace-readme-'));
    prepareFolder();
    registry = await serveRegistry(join(folder, 'registry'));
    port = await freePort();
    const prefix = join(folder, 'prefix');
    environment = {
      ...process.env,
      NODE_OPTIONS: '',
      PUSH: '',
      MAKEFLAGS: '',
      PREFIX: prefix,
      PATH: `${join(prefix, 'bin')}:${process.env['PATH'] ?? ''}`,
      XDG_CONFIG_HOME: join(folder, 'config-of-reader'),
    };
    Object.assign(filled, {
      'registry.example.org': registry.address,
      '8080:80': `${port}:80`,
      'localhost:8080': `localhost:${port}`,
    });
    await removeInstallation();
    const manifest = readFileSync('tools/demo/manifests/forge.yaml', 'utf8');
    await must('kubectl', ['apply', '-f', '-'], {
      input: manifest.replaceAll(/(name|namespace): forge$/gm, `$1: ${FORGE}`),
    });
    await kubectl('rollout', 'status', 'deployment/git', '--namespace', FORGE, '--timeout=9m');
    forge = await reach(FORGE, 'git');
    await pushCommit(`${forge.url}/app.git`);
    shell = new Shell(folder, environment);
  }, 600_000);

  afterAll(async () => {
    if (!isEmbedded) return;
    registry.close();
    shell.close();
    forge.close();
    await kubectl('delete', 'pipelines', '--all', '--namespace', 'mine', '--timeout=9m');
    await kubectl('delete', 'team', 'mine', '--ignore-not-found', '--timeout=9m');
    await kubectl('delete', 'namespace', 'mine', FORGE, '--ignore-not-found', '--wait=false');
    rmSync(folder, { recursive: true, force: true });
  }, 600_000);

  step(
    '1. the images go to a registry, for both architectures',
    async () => {
      const said = await must('bash', ['-e', '-c', fromReadme('images')], { env: environment });
      for (const image of ['millrace', 'millrace-postgres'])
        expect(said).toContain(`pushed ${registry.address}/millrace/${image}@sha256:`);
      expect(said).toMatch(/^millrace +arm64 /m);
    },
    600_000,
  );

  step(
    '2. the chart is installed with these images, and all of it gets ready',
    async () => {
      expect(await shell.run(fromReadme('chart'))).toContain('STATUS: deployed');
      const pods = await list('pods', '--namespace', RELEASE.namespace);
      const images = pods.flatMap(
        ({ spec }) => JSON.stringify(spec['containers']).match(/"image":"[^"]+"/g) ?? [],
      );
      for (const image of images) expect(image).toContain(registry.address);
    },
    600_000,
  );

  step(
    '3. the first admin logs in from the command line, and chooses a password',
    async () => {
      expect(await logIn()).toContain(`Logged in at http://localhost:${port} as admin`);
    },
    600_000,
  );

  step(
    '4. the pipeline is applied, and its first commit is built',
    async () => {
      const said = await shell.run(fromReadme('pipeline'));
      expect(said).toContain('pipeline.millrace.dev/mine created');
      expect(said).toContain('mine/test 1: succeeded');
    },
    600_000,
  );

  step(
    'a build by hand is followed to its end',
    async () => {
      expect(await shell.run(fromReadme('trigger'))).toContain('mine/test 2: succeeded');
    },
    600_000,
  );

  step(
    'a check by hand is a job of the CronJob',
    async () => {
      const { ref } = await pushCommit(`${forge.url}/app.git`);
      const [cronJob] = await list('cronjobs', '--namespace', 'mine');
      filled['<name>'] = cronJob?.metadata.name ?? '';
      await shell.run(fromReadme('check'));
      expect(await succeeded(3)).toContain(ref.slice(0, 7));
    },
    600_000,
  );

  step(
    'the demonstration runs on a cluster that is there already',
    async () => {
      // It installs Millrace itself: the admin of the steps before has a password that only they know.
      await kubectl('delete', 'pipelines', '--all', '--namespace', 'mine', '--timeout=9m');
      await kubectl('delete', 'team', 'mine', '--timeout=9m');
      await removeInstallation();
      const said = await must('bash', ['-e', '-c', fromReadme('demo')], { env: environment });
      expect(said).toContain('nothing was started here');
      expect(said).toContain('All three jobs succeeded');
      await openAsPrinted(said);
      await kubectl('delete', 'pipelines', '--all', '--namespace', 'demo', '--timeout=9m');
      await kubectl('delete', 'team', 'demo', '--timeout=9m');
      // Gone altogether: a cluster that is ended in the middle goes on with it when it is started again.
      await kubectl('delete', 'namespace', 'demo', 'forge', '--timeout=9m');
    },
    600_000,
  );
});
