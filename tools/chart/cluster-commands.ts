import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { delimiter } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { defined } from '#defined';
import { checkout } from '#tools/checkout.ts';
import { isExisting } from '#tools/cluster/existing.ts';
import { explained } from '#tools/cluster/explain.ts';
import { foldersFrom, toolFolder } from '#tools/cluster/folders.ts';
import { adminKubeconfig } from '#tools/cluster/pki.ts';
import { run } from '#tools/cluster/run.ts';
import { commandsFolder } from '#tools/cluster/start.ts';
import { tools } from '#tools/cluster/versions.ts';

/** Environment for kubectl and helm: the embedded cluster, or with CLUSTER=existing that of KUBECONFIG. */
export function clusterEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const folders = foldersFrom(env);
  const path = (env['PATH'] ?? '').split(delimiter);
  if (isExisting(env)) {
    const toolFolders = tools.map((tool) => toolFolder(folders, tool));
    return { ...env, PATH: [...path, ...toolFolders].join(delimiter) };
  }
  return {
    ...env,
    KUBECONFIG: adminKubeconfig(folders),
    PATH: [commandsFolder(folders), ...path].join(delimiter),
  };
}

/** Runs kubectl and returns its standard output. `input` is its standard input. `signal` ends kubectl. */
export function runKubectl(args: readonly string[], input?: string, signal?: AbortSignal): Promise<string> {
  const env = clusterEnvironment();
  return run('kubectl', args, { env, signal, ...defined({ input }) });
}

/** Starts a program with the cluster's environment. `signal` ends the program. */
export function start(
  program: string,
  args: readonly string[],
  signal?: AbortSignal,
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(program, [...args], {
    cwd: checkout,
    env: clusterEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...defined({ signal }),
  });
}

/**
 * Calls `onLine` with each line of a program's output. Throws if the program fails. `signal` ends the
 * program.
 */
export async function stream(
  program: string,
  args: readonly string[],
  onLine: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const child = start(program, args, signal);
  const lastLines: string[] = [];
  const read = (text: string): void => {
    if (lastLines.push(text) > 12) lastLines.shift();
    onLine(text);
  };
  createInterface({ input: child.stdout }).on('line', read);
  createInterface({ input: child.stderr }).on('line', read);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) {
    throw explained(
      `\`${[program, ...args].join(' ')}\` ended with ${code ?? 'a signal'}.\n${lastLines.join('\n')}`,
    );
  }
}

/** Runs another tool of this project with the same Node. */
export function streamTool(
  tool: string,
  args: readonly string[],
  onLine: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  return stream(process.execPath, [tool, ...args], onLine, signal);
}
