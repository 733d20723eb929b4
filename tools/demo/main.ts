import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runKubectl, streamTool } from '#tools/chart/cluster-commands.ts';
import { buildAndLoadImages, type LoadedImages } from '#tools/chart/images.ts';
import { installChart, RELEASE, servicesAreReachable, waitForWorkloads } from '#tools/chart/install.ts';
import { checkout } from '#tools/checkout.ts';
import { explained, Explained, messageOf } from '#tools/cluster/explain.ts';
import { pushCommit, tagsOf } from './commit.ts';
import { clusterReport } from './diagnose.ts';
import { followCommit } from './follow.ts';
import { DemoGateway, type DemoBuild } from './gateway.ts';
import { nextSteps } from './next-steps.ts';
import { reach } from './reach.ts';
import { clock, Screen } from './screen.ts';
import { askGateway, initialAdmin, passwordFile, signInOfDemo } from './sign-in.ts';
import { demoToken } from './token.ts';

const TEAM = 'demo';
const PIPELINE = 'app';
const RESOURCE = 'git.app';
const JOBS = ['unit', 'integration', 'publish'];
const FORGE = 'forge';

const screen = new Screen(6);

async function demonstrate(): Promise<boolean> {
  console.log('Millrace: from a commit to a tag, on a real Kubernetes.');
  screen.heading('Kubernetes');
  await streamTool('tools/cluster/main.ts', ['up'], screen.quote);

  screen.heading('The program and its images');
  const images = await buildAndLoadImages(screen.quote);

  screen.heading(`The chart: helm install ${RELEASE.name} charts/millrace --namespace ${RELEASE.namespace}`);
  const token = await demoToken();
  await installChart(images, { [token]: { user: 'demo', team: '*', role: 'admin' } }, screen.quote);
  await waitForWorkloads((lines) => screen.redraw(lines));

  screen.heading('A team, a pipeline, and a git server for it');
  await applySamples(images);

  screen.heading('A commit');
  const forge = await reach(FORGE, 'git');
  const publicGateway = await reach(RELEASE.namespace, `${RELEASE.name}-public`);
  try {
    const repository = `${forge.url}/app.git`;
    const pushed = await pushCommit(repository);
    screen.line(`pushed ${pushed.ref.slice(0, 12)} "${pushed.subject}" to ${repository}`);
    const gateway = new DemoGateway(publicGateway.url, token, { team: TEAM, name: PIPELINE });
    const webhook = await callWebhook(gateway, publicGateway.url);

    screen.heading('Its builds');
    const hasSucceeded = await showBuilds(gateway, repository, pushed.ref);
    const credentials = await signInOfDemo(askGateway(publicGateway.url), passwordFile(), initialAdmin);
    const addresses = { repository, gateway: publicGateway.url, webhook, credentials };
    console.log(nextSteps(addresses, servicesAreReachable()));
    return hasSucceeded;
  } finally {
    forge.close();
    publicGateway.close();
  }
}

/**
 * Applies the samples, with another registry in names of images and no other change, and waits until they are
 * ready.
 */
async function applySamples(images: LoadedImages): Promise<void> {
  const apply = async (...path: string[]): Promise<void> => {
    const text = await readFile(join(checkout, ...path), 'utf8');
    const manifest = text.replaceAll('localhost/millrace-', `${images.prefix}/millrace-`);
    screen.quote(`$ kubectl apply -f ${path.join('/')}`);
    for (const line of (await runKubectl(['apply', '-f', '-'], manifest)).trim().split('\n'))
      screen.quote(line);
  };
  for (const namespace of [FORGE, TEAM]) await waitUntilGone(namespace);
  await apply('tools', 'demo', 'manifests', 'forge.yaml');
  await apply('config', 'samples', 'team.yaml');
  await runKubectl(['wait', '--for=condition=Ready', `team/${TEAM}`, '--timeout=10m']);
  await apply('config', 'samples', 'pipeline.yaml');
  const pipeline = [`pipeline/${PIPELINE}`, '--namespace', TEAM];
  await runKubectl(['wait', '--for=condition=Ready', ...pipeline, '--timeout=10m']);
  await runKubectl(['rollout', 'status', 'deployment/git', '--namespace', FORGE, '--timeout=10m']);
  for (const line of (await runKubectl(['get', `team/${TEAM}`, `pipeline/${PIPELINE}`, '--namespace', TEAM]))
    .trim()
    .split('\n'))
    screen.line(line);
}

/**
 * Waits until a namespace of an earlier demonstration is deleted, if its deletion has begun. Objects that are
 * applied into such a namespace are deleted with it.
 */
async function waitUntilGone(namespace: string): Promise<void> {
  const phase = ['get', 'namespace', namespace, '--ignore-not-found', '--output=jsonpath={.status.phase}'];
  if ((await runKubectl(phase)) !== 'Terminating') return;
  screen.quote(`The namespace ${namespace} is being deleted; the demonstration waits and creates it again.`);
  await runKubectl(['wait', '--for=delete', `namespace/${namespace}`, '--timeout=10m']);
}

/**
 * Calls the webhook of the resource and returns its URL. Returns undefined if the resource has no webhook.
 */
async function callWebhook(gateway: DemoGateway, base: string): Promise<string | undefined> {
  const token = await gateway.webhookToken(RESOURCE);
  if (token === undefined) {
    screen.line('the next check finds the commit within half a minute');
    return undefined;
  }
  screen.line(
    `called the webhook as a forge does: POST /webhooks/… answered ${await gateway.callWebhook(token)}`,
  );
  return `${base}/webhooks/${token}`;
}

/**
 * Shows the builds of a commit until all have ended or one has failed, then a log. Returns whether all have
 * succeeded.
 */
async function showBuilds(gateway: DemoGateway, repository: string, ref: string): Promise<boolean> {
  const started = Date.now();
  const builds = [...(await followCommit(gateway, JOBS, ref, screen))];
  const took = clock(Date.now() - started);
  const failed = builds.find(([, build]) => build.status !== 'succeeded');
  const shown = failed ?? builds.at(-1);
  if (shown === undefined) throw explained('No build was made for the commit.');
  await showLog(gateway, ...shown);
  if (failed !== undefined) {
    for (const line of await clusterReport([TEAM])) screen.line(line);
    return false;
  }
  const tags = await tagsOf(repository, ref);
  if (tags.length === 0) throw explained(`publish succeeded, but no tag of ${repository} points at ${ref}.`);
  screen.line(`All three jobs succeeded in ${took}; the repository has the tag ${tags.join(', ')} now.`);
  return true;
}

async function showLog(gateway: DemoGateway, job: string, build: DemoBuild): Promise<void> {
  screen.line('');
  screen.line(`Log of ${job}, build ${build.number}:`);
  for (const line of (await gateway.log(job, build.number)).trimEnd().split('\n')) screen.quote(`| ${line}`);
  screen.line('');
  if (build.status === 'succeeded') return;
  screen.line(`${job} ${build.status}: ${build.reason ?? ''} ${build.message ?? ''}`);
}

try {
  process.exitCode = (await demonstrate()) ? 0 : 1;
} catch (error) {
  screen.settle();
  console.error(
    `\n${error instanceof Explained ? messageOf(error) : String(Error.isError(error) ? error.stack : error)}\n`,
  );
  for (const line of await clusterReport([RELEASE.namespace, FORGE, TEAM])) console.error(line);
  process.exitCode = 1;
}
