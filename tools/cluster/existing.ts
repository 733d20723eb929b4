import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';
import { dig } from './api.ts';
import { explained, messageOf } from './explain.ts';
import { run, tryRun } from './run.ts';

const oldestMinor = 33;

/**
 * Whether `CLUSTER=existing` selects the cluster of `KUBECONFIG`, so that none is started. Throws for an
 * unknown value of CLUSTER.
 */
export function isExisting(env: NodeJS.ProcessEnv): boolean {
  const choice = env['CLUSTER'] ?? '';
  if (choice !== '' && choice !== 'existing' && choice !== 'embedded') {
    throw explained(`CLUSTER is "${choice}"; it may be "embedded" (the default) or "existing".`);
  }
  return choice === 'existing';
}

/**
 * Describes the existing cluster in one sentence. Throws if KUBECONFIG is not set or names a missing file, if
 * the cluster does not answer, or if its version is too old.
 */
export async function checkExisting(env: NodeJS.ProcessEnv, kubectl: string): Promise<string> {
  const kubeconfig = env['KUBECONFIG'] ?? '';
  if (kubeconfig === '') {
    throw explained('CLUSTER=existing needs KUBECONFIG to name the file of the cluster to use.');
  }
  const missing = kubeconfig.split(delimiter).find((file) => file !== '' && !existsSync(file));
  if (missing !== undefined) {
    throw explained(`CLUSTER=existing: KUBECONFIG names the file ${missing}, which does not exist.`);
  }
  const version = await serverVersion(env, kubectl, kubeconfig);
  if (!isRecent(version)) {
    throw explained(
      `The cluster of KUBECONFIG=${kubeconfig} runs Kubernetes ${version}; 1.${oldestMinor} or newer is needed.`,
    );
  }
  return (
    `Using the existing cluster of KUBECONFIG=${kubeconfig}: Kubernetes ${version} answers; ` +
    'nothing was started here.'
  );
}

async function serverVersion(env: NodeJS.ProcessEnv, kubectl: string, kubeconfig: string): Promise<string> {
  try {
    const args = ['version', '--output=json', '--request-timeout=10s'];
    const version = dig(
      JSON.parse(await run(kubectl, args, { env, timeoutSeconds: 20 })),
      'serverVersion',
      'gitVersion',
    );
    if (typeof version === 'string') {
      return version;
    }
    throw new Error('the answer has no version');
  } catch (error) {
    throw explained(`The cluster of KUBECONFIG=${kubeconfig} does not answer: ${messageOf(error)}`);
  }
}

/** Whether a server's version is new enough. */
export function isRecent(version: string): boolean {
  const [major, minor] = (/^v?(\d+)\.(\d+)/.exec(version)?.slice(1) ?? []).map(Number);
  return major !== undefined && minor !== undefined && (major > 1 || (major === 1 && minor >= oldestMinor));
}

/** The kubectl of the PATH, otherwise the one in the cache. */
export async function findKubectl(cached: string, isCached: boolean): Promise<string> {
  if ((await tryRun('kubectl', ['version', '--client'])) !== undefined) {
    return 'kubectl';
  }
  if (isCached) {
    return cached;
  }
  throw explained('kubectl is missing: install it, or run `node tools/cluster/main.ts build kubernetes`.');
}
