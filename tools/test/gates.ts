import { ADMIN_TOKEN } from '#e2e/support/gateway.ts';
import { buildAndLoadImages, type LoadedImages } from '#tools/chart/images.ts';
import { installChart, testChart, waitForWorkloads } from '#tools/chart/install.ts';
import { craneBinary } from '#tools/images/push.ts';
import { oneIf, sum, type Counts } from './counts.ts';
import { gate, goModules, jestProject, stop } from './programs.ts';
import { withProgress } from './progress.ts';
import { checkTypes } from './types.ts';

export interface TestGate {
  /** Gates that have to run before. */
  needs?: readonly string[];
  about: string;
  /**
   * On which clusters the gate runs. Absent: on each. `embedded`: not on that of $KUBECONFIG, because the
   * gate changes things that a shared cluster must keep. `own`: only on a cluster that this run starts,
   * because the gate stops the cluster.
   */
  only?: 'embedded' | 'own';
  /**
   * The gate runs in the background, beside the gates before it. It needs no other gate, and writes nothing
   * but a cache.
   */
  beside?: true;
  run: (ownCluster: boolean) => Promise<Counts>;
}

/**
 * The cluster that the gates use. `own`: the embedded cluster, which this run starts. `embedded`: the
 * embedded cluster, which ran before; also if no gate needs a cluster. `existing`: that of $KUBECONFIG.
 */
export type ClusterOwner = 'own' | 'embedded' | 'existing';

/** Why a gate does not run on this cluster; undefined if it does. */
export function whyLeftOut({ only }: Pick<TestGate, 'only'>, cluster: ClusterOwner): string | undefined {
  if (only === undefined || cluster === 'own' || cluster === only) return undefined;
  if (cluster === 'existing') return 'CLUSTER=existing: it would change the cluster of $KUBECONFIG';
  return 'it stops the embedded cluster, and this run did not start that cluster';
}

const tool = (name: string, ...args: string[]): Promise<Counts> =>
  gate(process.execPath, [`tools/${name}/main.ts`, ...args]);

let images: LoadedImages | undefined;

/** A store with the API of S3, and a forge. */
const TEST_SERVERS = ['versitygw', 'gitea'];

/** In the order of their turns. */
export const GATES: Readonly<Record<string, TestGate>> = {
  types: {
    about: 'TypeScript, strict; and the scripts of our pages',
    run: async () =>
      sum([
        await checkTypes('tsconfig.json'),
        await checkTypes('src/web/tsconfig.json'),
        await checkTypes('src/web/tsconfig.tests.json'),
      ]),
  },
  'domain-types': {
    about: 'the domain knows no clock, no process, no network',
    run: () => checkTypes('src/domain/tsconfig.json'),
  },
  lint: { about: 'import rules, budgets, correctness', run: () => gate('oxlint', []) },
  'dead-code': { beside: true, about: 'unused files, exports and dependencies', run: () => gate('knip', []) },
  formatting: {
    beside: true,
    about: 'one format',
    run: () => gate('oxfmt', ['--check']),
  },
  folders: { beside: true, about: 'no two folders import each other', run: () => tool('folders') },
  names: {
    beside: true,
    about: 'words of the glossary, one meaning for each name',
    run: () => tool('names'),
  },
  commits: { beside: true, about: 'messages of new commits', run: () => tool('commits') },
  dist: { about: 'the program, its shim and its HCL engine', run: () => tool('dist') },
  unit: { about: 'tests beside the code', needs: ['dist'], run: () => jestProject('unit', '--maxWorkers=2') },
  'test-servers': {
    about: 'the servers in Go that tests start; a test has a time limit, and building them has none',
    run: async () => sum([await tool('cluster', 'build', ...TEST_SERVERS), await buildRegistry()]),
  },
  'child-process': {
    about: 'tests that start programs: the command line, scripts of built-in types, compilers',
    needs: ['dist', 'test-servers'],
    run: () => jestProject('child-process', '--maxWorkers=2'),
  },
  go: { about: 'the programs in Go', run: goModules },
  rehearsal: {
    about: 'stopping the cluster leaves nothing behind',
    only: 'own',
    run: rehearse,
  },
  cluster: {
    about: 'a real Kubernetes on this machine',
    run: (ownCluster) => tool('cluster', 'up', ...(ownCluster ? ['--fresh'] : [])),
  },
  images: { about: 'the images, built and loaded', needs: ['dist', 'cluster'], run: loadImages },
  integration: {
    about: 'tests with real Postgres, API server, helm, Lua',
    needs: ['dist', 'test-servers', 'cluster'],
    run: () => jestProject('integration', '--maxWorkers=2'),
  },
  browser: {
    about: 'the pages in a real browser, with real Postgres and identity providers',
    needs: ['dist'],
    run: () => jestProject('browser', '--maxWorkers=2'),
  },
  install: { about: 'the chart, installed with the real helm', needs: ['cluster', 'images'], run: install },
  'helm-test': { about: "the chart's own test", needs: ['install'], run: helmTest },
  e2e: {
    about: 'end to end on the cluster',
    needs: ['test-servers', 'install'],
    run: () => jestProject('e2e', '--maxWorkers=2'),
  },
  'e2e-alone': {
    about: 'end to end: tests that change the installation or the node, or measure',
    needs: ['test-servers', 'install'],
    run: () => jestProject('e2e-alone', '--runInBand'),
  },
  readme: {
    about:
      'the commands of the README for your own cluster; they replace the installation of the gates before',
    needs: ['cluster', 'images'],
    only: 'embedded',
    run: () => jestProject('readme'),
  },
};

/** crane, whose registry the tests start. */
async function buildRegistry(): Promise<Counts> {
  await withProgress('test-servers', craneBinary);
  return oneIf(true);
}

async function rehearse(): Promise<Counts> {
  const built = await tool('cluster', 'build');
  return built.failed > 0 ? built : tool('cluster', 'rehearse');
}

async function loadImages(): Promise<Counts> {
  images = await withProgress('images', () => buildAndLoadImages(show, stop.signal));
  return oneIf(true);
}

const show = (line: string): void => console.log(line);

async function install(): Promise<Counts> {
  if (images === undefined) return oneIf(false);
  const administrator = { user: 'e2e', team: '*', role: 'admin' };
  const release = images;
  await withProgress('install', async () => {
    await installChart(release, { [ADMIN_TOKEN]: administrator }, show, stop.signal);
    await waitForWorkloads((lines) => show(lines.join('; ')), stop.signal);
  });
  return oneIf(true);
}

async function helmTest(): Promise<Counts> {
  console.log(await withProgress('helm-test', () => testChart(stop.signal)));
  return oneIf(true);
}

/** The chosen gates and those that they need, in order. */
export function withNeeds(
  chosen: readonly string[],
  gates: Readonly<Record<string, TestGate>> = GATES,
): string[] {
  const needed = new Set<string>();
  const add = (name: string): void => {
    const found = gates[name];
    if (found === undefined)
      throw new Error(`There is no gate "${name}"; there are ${Object.keys(gates).join(', ')}.`);
    needed.add(name);
    for (const need of found.needs ?? []) add(need);
  };
  for (const name of chosen) add(name);
  return Object.keys(gates).filter((name) => needed.has(name));
}
