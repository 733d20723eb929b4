import { readFileSync } from 'node:fs';
import { reach, type ReachableService } from '#tools/demo/reach.ts';
import { apply, kubectl } from './kubectl.ts';

/**
 * Starts the git server of the demonstration in a separate namespace. It has the repository `app`, which its
 * readiness probe reads, and `repositories`. Anyone who reaches the server may push.
 */
export async function startGitServer(
  namespace: string,
  repositories: readonly string[] = [],
): Promise<ReachableService> {
  const manifest = readFileSync('tools/demo/manifests/forge.yaml', 'utf8');
  const names = ['app', ...repositories].map((name) => `${name}.git`).join(' ');
  await apply(
    manifest
      .replaceAll(/(name|namespace): forge$/gm, `$1: ${namespace}`)
      .replace('value: app.git', `value: ${names}`),
  );
  await kubectl('rollout', 'status', 'deployment/git', '--namespace', namespace, '--timeout=9m');
  return await reach(namespace, 'git');
}
