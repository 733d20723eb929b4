import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runOrThrow } from '#e2e/support/command.ts';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { list } from '#e2e/support/read-objects.ts';
import { storySteps } from '#e2e/support/story-steps.ts';
import { startChromium } from '#testing/browser/chromium.ts';
import { takePictures, sendSignInForm } from '#testing/browser/site.ts';
import { freePort } from '#testing/network/free-port.ts';
import { typeInto } from '#testing/process/type-into.ts';
import { RELEASE } from '#tools/chart/install.ts';
import { pushCommit } from '#tools/demo/commit.ts';
import { reach, type ReachableService } from '#tools/demo/reach.ts';
import { readmeCommands } from './commands.ts';
import { serveRegistry, type Registry } from './serve-registry.ts';
import { ReadmeShell } from './shell.ts';

/*
 * Follows the second half of the README with its own commands. Those that need no checkout run in one shell.
 * The end-to-end suite's installation is removed first, so the README's names are free. The test fills in the
 * registry (a real one on this machine), the repository (a git server in the cluster), a free local port and
 * everything in angle brackets.
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

/** Commands of the README that do not run here, and why. */
const NOT_RUN = {
  'make images && for image in': 'kind load: kind needs a container engine, and this machine has none',
  'CLUSTER=existing make demo': 'kind load and k3d image import, for the same reason',
};

const commandsLike = (start: string): string[] =>
  readmeCommands().filter((command) => command.startsWith(start));

test('this file runs every command of the README for your own cluster, or says why not', () => {
  const known = [...Object.values(COMMANDS), ...Object.keys(NOT_RUN)];
  expect(known.map((start) => [start, commandsLike(start).length])).toEqual(known.map((start) => [start, 1]));
  expect(readmeCommands()).toHaveLength(known.length);
});

const FORGE = 'readme-forge';
/** The password that the reader chooses; the operator's initial password is typed before it. */
const CHOSEN_PASSWORD = 'five words that only readme has';

let folder: string;
let environment: NodeJS.ProcessEnv;
let registry: Registry;
let port: number;
let shell: ReadmeShell;
let forge: ReachableService;
/** Placeholders of the README and the values that replace them. */
const replacements: Record<string, string> = {};

const fromReadme = (name: keyof typeof COMMANDS): string =>
  Object.entries(replacements).reduce(
    (command, [placeholder, value]) => command.replaceAll(placeholder, value),
    commandsLike(COMMANDS[name])[0] ?? '',
  );

/** Prepares the files that the README's commands use, including the sample that readers must edit. */
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
  await runOrThrow('helm', ['uninstall', name, '--namespace', namespace, '--ignore-not-found', '--wait']);
  await kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--timeout=9m');
};

/** Follows a build of the sample's only job until it succeeds; returns the log. */
const logOfSuccess = async (number: number): Promise<string> => {
  let log = '';
  await eventually(async () => {
    log = await runOrThrow('millrace', ['builds', 'watch', `mine/test/${number}`, '--team', 'mine'], {
      env: environment,
    });
  });
  return log;
};

/** Runs the README's block: install the command, forward a port, read the password and change it. */
const logIn = async (): Promise<string> => {
  const [install = '', forward = '', secret = '', login = '', ...furtherLines] = fromReadme('login')
    .trim()
    .split('\n');
  expect(furtherLines).toEqual([]);
  await runOrThrow('bash', ['-e', '-c', install], { env: environment });
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
 * Follows the instructions that the demonstration prints: forward ports, open the address, sign in, push a
 * commit and wait until it is built.
 */
const openAsPrinted = async (output: string): Promise<void> => {
  const forwards = output.match(/^ {2}kubectl .* port-forward .*:80 &$/gm)?.slice(0, 2) ?? [];
  expect(forwards).toHaveLength(2);
  for (const line of forwards) await shell.run(line.replace(/&$/, '> /dev/null 2>&1 &'));
  const [, address = '', username = '', password = ''] =
    /^ {2}(http:\S+\/teams\/demo\/pipelines\/app)\n {2}user: +(\S+)\n {2}password: (\S+)$/m.exec(output) ??
    [];
  expect(address).not.toBe('');
  const [, repository = ''] = /^ {2}git clone (\S+) /m.exec(output) ?? [];
  // Sent as by a browser: API clients without credentials get 404 for a private pipeline.
  const asBrowser = { headers: { accept: 'text/html' } };
  await eventually(async () => expect((await fetch(address, asBrowser)).status).toBe(200));
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    await page.goto(address);
    await sendSignInForm(page, username, password);
    await page.waitForURL(address);
    expect(await page.locator('h1').innerText()).toBe('Sample application');
    const publish = page
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: 'publish', exact: true }) });
    const newest = (): Promise<string> => publish.getByRole('cell').first().innerText();
    const before = await newest();
    expect(before).toMatch(/^\d+ succeeded$/);
    await pushCommit(repository);
    // The page updates itself; the test does not reload it.
    await eventually(async () => expect(await newest()).toBe(`${parseInt(before, 10) + 1} succeeded`));
    await takePictures(page, 'demo-pipeline');
  } finally {
    await browser.close();
  }
};

const step = storySteps();

describe('following the README word for word', () => {
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
    Object.assign(replacements, {
      'registry.example.org': registry.address,
      '8080:80': `${port}:80`,
      'localhost:8080': `localhost:${port}`,
    });
    await removeInstallation();
    const manifest = readFileSync('tools/demo/manifests/forge.yaml', 'utf8');
    await runOrThrow('kubectl', ['apply', '-f', '-'], {
      input: manifest.replaceAll(/(name|namespace): forge$/gm, `$1: ${FORGE}`),
    });
    await kubectl('rollout', 'status', 'deployment/git', '--namespace', FORGE, '--timeout=9m');
    forge = await reach(FORGE, 'git');
    await pushCommit(`${forge.url}/app.git`);
    shell = new ReadmeShell(folder, environment);
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

  step('1. the images are pushed to a registry for both architectures', async () => {
    const output = await runOrThrow('bash', ['-e', '-c', fromReadme('images')], { env: environment });
    for (const image of ['millrace', 'millrace-postgres'])
      expect(output).toContain(`pushed ${registry.address}/millrace/${image}@sha256:`);
    expect(output).toMatch(/^millrace +arm64 /m);
  });

  step('2. the chart is installed with these images, and every Pod becomes ready', async () => {
    expect(await shell.run(fromReadme('chart'))).toContain('STATUS: deployed');
    const pods = await list('pods', '--namespace', RELEASE.namespace);
    const images = pods.flatMap(
      ({ spec }) => JSON.stringify(spec['containers']).match(/"image":"[^"]+"/g) ?? [],
    );
    for (const image of images) expect(image).toContain(registry.address);
  });

  step('3. the initial admin logs in from the command line and chooses a password', async () => {
    expect(await logIn()).toContain(`Logged in at http://localhost:${port} as admin`);
  });

  step('4. the pipeline is applied, and its first commit is built', async () => {
    const output = await shell.run(fromReadme('pipeline'));
    expect(output).toContain('pipeline.millrace.dev/mine created');
    expect(output).toContain('mine/test 1: succeeded');
  });

  step('a build triggered by hand is followed to its end', async () => {
    expect(await shell.run(fromReadme('trigger'))).toContain('mine/test 2: succeeded');
  });

  step('a check by hand is a Job created from the CronJob', async () => {
    const { ref } = await pushCommit(`${forge.url}/app.git`);
    const [cronJob] = await list('cronjobs', '--namespace', 'mine');
    replacements['<name>'] = cronJob?.metadata.name ?? '';
    await shell.run(fromReadme('check'));
    expect(await logOfSuccess(3)).toContain(ref.slice(0, 7));
  });

  step('the demonstration runs on an existing cluster', async () => {
    // The demonstration installs Millrace itself. It cannot sign in to the earlier installation, whose
    // admin changed the password.
    await kubectl('delete', 'pipelines', '--all', '--namespace', 'mine', '--timeout=9m');
    await kubectl('delete', 'team', 'mine', '--timeout=9m');
    await removeInstallation();
    const output = await runOrThrow('bash', ['-e', '-c', fromReadme('demo')], { env: environment });
    expect(output).toContain('nothing was started here');
    expect(output).toContain('All three jobs succeeded');
    await openAsPrinted(output);
    await kubectl('delete', 'pipelines', '--all', '--namespace', 'demo', '--timeout=9m');
    await kubectl('delete', 'team', 'demo', '--timeout=9m');
    // Waits for the deletion. Otherwise a cluster that is stopped meanwhile continues it at its next start.
    await kubectl('delete', 'namespace', 'demo', 'forge', '--timeout=9m');
  });
});
