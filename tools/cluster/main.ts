import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { apiUrl, nodeName } from './addresses.ts';
import { askApi, conditionOf, dig } from './api.ts';
import { build } from './build.ts';
import { exclusively } from './exclusive.ts';
import { checkExisting, findKubectl, isExisting } from './existing.ts';
import { explained, Explained } from './explain.ts';
import { binaryPath, foldersFrom, type Folders } from './folders.ts';
import { signal, waitUntilEnded } from './identity.ts';
import { partNames, partOf } from './parts.ts';
import { adminKubeconfig } from './pki.ts';
import { requirePackages, requireRoot } from './prerequisites.ts';
import { logFile, processOf, stopPart } from './processes.ts';
import { rehearse } from './rehearse.ts';
import { commandsFolder, loadImages, startCluster, startOne } from './start.ts';
import { processTraces, purge, stopCluster, traces } from './stop.ts';

const folders = readFolders();

async function buildAll(names: readonly string[]): Promise<void> {
  const started = performance.now();
  await requirePackages();
  const count = await build(folders, names);
  const summary = count === 0 ? 'Everything is built already' : `Built ${count} of the cluster's programs`;
  console.log(`${summary} (${seconds(started)}); the binaries are in ${folders.binaries}.`);
}

async function up(options: { readonly fresh?: boolean }): Promise<void> {
  if (isExisting(process.env)) {
    await describeExisting();
    return;
  }
  requireRoot();
  await buildAll([]);
  await withClusterLock(async () => {
    if (options.fresh === true) {
      await stopCluster(folders);
      purge(folders);
    }
    const started = performance.now();
    const parts = await startCluster(folders);
    const summary = parts.length === 0 ? 'The cluster runs already' : `Started ${parts.join(', ')}`;
    console.log(`${summary}: Kubernetes at ${apiUrl} is ready (${seconds(started)}).\n`);
    console.log(shellExports());
    console.log(
      '\nNext: kubectl get nodes; node tools/cluster/main.ts load IMAGE.tar; make cluster-down ends it.',
    );
  });
}

async function down(options: { readonly purge?: boolean }): Promise<void> {
  if (isExisting(process.env)) {
    console.log('CLUSTER=existing: nothing was started here, so nothing is stopped.');
    return;
  }
  requireRoot();
  await withClusterLock(async () => {
    const started = performance.now();
    const done = await stopCluster(folders);
    console.log(
      done.length === 0 ? 'The cluster is not running.' : `Stopped or removed:\n  ${done.join('\n  ')}`,
    );
    if (options.purge === true) {
      purge(folders);
      console.log(`All data in ${folders.state} is removed.`);
    }
    console.log(`Nothing of the cluster is left on the machine (${seconds(started)}).`);
  });
}

async function status(): Promise<void> {
  if (isExisting(process.env)) {
    await describeExisting();
    return;
  }
  const lines = partNames.map((name) => {
    const running = processOf(folders, partOf(folders, name));
    return (
      `${name.padEnd(24)} ${running === undefined ? 'stopped' : `pid ${running.pid}`.padEnd(12)} ` +
      logFile(folders, name)
    );
  });
  console.log(lines.join('\n'));
  const known = existsSync(adminKubeconfig(folders));
  const answering = known && (await askApi(folders, '/readyz'))?.status === 200;
  const condition = answering ? await conditionOf(folders, `/api/v1/nodes/${nodeName}`, 'Ready') : undefined;
  const ready = dig(condition, 'status') === 'True';
  console.log(
    `API server ${apiUrl}: ${answering ? 'ready' : 'not ready'}; node ${nodeName}: ${ready ? 'ready' : 'not ready'}`,
  );
  process.exitCode = ready ? 0 : 1;
}

async function load(files: readonly string[]): Promise<void> {
  if (isExisting(process.env)) {
    throw explained(
      'CLUSTER=existing: push the images to a registry that the cluster reads, or use `kind load image-archive`.',
    );
  }
  requireRoot();
  if (processOf(folders, partOf(folders, 'containerd')) === undefined) {
    throw explained('containerd is not running; run `up` first.');
  }
  const started = performance.now();
  const names = await loadImages(folders, files);
  console.log(`Loaded ${names.join(', ')} (${seconds(started)}).`);
}

async function startPartNamed(name: string): Promise<void> {
  const started = performance.now();
  const isStarted = await startOne(folders, name);
  console.log(isStarted ? `${name} is ready (${seconds(started)}).` : `${name} runs already.`);
}

async function stopPartNamed(name: string): Promise<void> {
  const stopped = await stopPart(folders, partOf(folders, name), 30);
  console.log(stopped ? `${name} is stopped.` : `${name} did not run.`);
}

async function killPart(name: string): Promise<void> {
  const running = processOf(folders, partOf(folders, name));
  if (running === undefined || !signal(running, 'SIGKILL')) {
    throw explained(`${name} is not running.`);
  }
  await waitUntilEnded([running], 10);
  console.log(`${name} (pid ${running.pid}) is killed.`);
}

async function restartPart(name: string): Promise<void> {
  await stopPartNamed(name);
  await startPartNamed(name);
}

async function showTraces(options: { readonly processes?: boolean }): Promise<void> {
  const found = options.processes === true ? processTraces(folders) : await traces(folders);
  const none =
    options.processes === true ? 'The cluster is not running.' : 'Nothing of the cluster is on the machine.';
  console.log(found.length === 0 ? none : found.join('\n'));
  process.exitCode = found.length === 0 ? 0 : 1;
}

async function rehearseAll(): Promise<void> {
  requireRoot();
  await buildAll([]);
  await withClusterLock(() => rehearse(folders));
}

function showExports(): void {
  console.log(shellExports());
}

function shellExports(): string {
  const kubeconfig = isExisting(process.env) ? (process.env['KUBECONFIG'] ?? '') : adminKubeconfig(folders);
  return `export KUBECONFIG=${quote(kubeconfig)}\nexport PATH=${quote(commandsFolder(folders))}:"$PATH"`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

async function describeExisting(): Promise<void> {
  const cached = binaryPath(folders, 'kubectl');
  console.log(await checkExisting(process.env, await findKubectl(cached, existsSync(cached))));
}

function withClusterLock(work: () => Promise<void>): Promise<void> {
  return exclusively(
    `cluster ${folders.state}`,
    'Another command is changing the cluster; waiting for it.',
    work,
  );
}

function readFolders(): Folders {
  try {
    return foldersFrom(process.env);
  } catch (error) {
    show(error);
    return process.exit(1);
  }
}

function show(error: unknown): void {
  console.error(error instanceof Explained ? error.message : error);
}

function seconds(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}

const program = new Command('cluster').description('A real Kubernetes on this machine, from Go modules.');
program
  .command('build')
  .argument('[tools...]', 'only these')
  .description('build what is missing')
  .action(buildAll);
program
  .command('up')
  .option('--fresh', 'start without the existing data')
  .description('start the cluster, or those of its parts that do not run')
  .action(up);
program
  .command('down')
  .option('--purge', 'remove the data too')
  .description('stop the cluster and undo its changes to the machine')
  .action(down);
program.command('status').description('show the parts').action(status);
program
  .command('load')
  .argument('<tars...>')
  .description('import images from docker-archive or OCI files')
  .action(load);
program.command('env').description('print exports for a shell').action(showExports);
program
  .command('start')
  .argument('<part>', partNames.join(', '))
  .action((name: string) => withClusterLock(() => startPartNamed(name)));
program
  .command('stop')
  .argument('<part>')
  .action((name: string) => withClusterLock(() => stopPartNamed(name)));
program
  .command('restart')
  .argument('<part>')
  .action((name: string) => withClusterLock(() => restartPart(name)));
program.command('kill').argument('<part>').description('end a part with SIGKILL').action(killPart);
program
  .command('traces')
  .option('--processes', 'only the processes')
  .description('list everything of the cluster on this machine; fails if there is anything')
  .action(showTraces);

program
  .command('rehearse')
  .description('stop, start, use and stop the cluster, and prove that the machine is as before')
  .action(rehearseAll);

try {
  await program.parseAsync();
} catch (error) {
  show(error);
  process.exitCode = 1;
}
