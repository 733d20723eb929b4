import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { ports } from '#tools/cluster/addresses.ts';
import { binaryPath, foldersFrom } from '#tools/cluster/folders.ts';
import { containerdSocket } from '#tools/cluster/node-config.ts';
import { runOrThrow } from './command.ts';
import { get } from './read-objects.ts';

/*
 * Access that only the embedded cluster allows, because its processes run on this machine: signals to the
 * processes of containers, and etcd.
 */
const folders = foldersFrom(process.env);

export const isEmbedded = process.env['CLUSTER'] !== 'existing';

/**
 * Sends a signal to process 1 of a container from outside. After SIGKILL or SIGSTOP that process cannot
 * report anything.
 */
export const signalContainer = async (
  { namespace, pod, container }: { namespace: string; pod: string; container: string },
  signal: 'SIGKILL' | 'SIGSTOP',
): Promise<void> => {
  const { status } = await get('pod', pod, '--namespace', namespace);
  const statuses: unknown = status?.['containerStatuses'];
  if (!Array.isArray(statuses)) throw new Error(`Pod ${namespace}/${pod} has no container statuses yet.`);
  const containerStatus: { name: string; containerID?: string } | undefined = statuses.find(
    ({ name }) => name === container,
  );
  const id = containerStatus?.containerID?.replace('containerd://', '');
  if (id === undefined) throw new Error(`Container ${container} of Pod ${namespace}/${pod} is not running.`);
  const address = ['--address', containerdSocket(folders), '--namespace', 'k8s.io'];
  await runOrThrow(binaryPath(folders, 'ctr'), [...address, 'tasks', 'kill', '--signal', signal, id]);
};

/** Runs `node tools/cluster/main.ts VERB PART`: stops, starts or kills one part of the cluster. */
export const clusterPart = (verb: 'stop' | 'start' | 'kill', part: string): Promise<string> =>
  runOrThrow(process.execPath, ['tools/cluster/main.ts', verb, part]);

/** Sends SIGKILL to process 1 of a container. */
export const killContainer = (namespace: string, pod: string, container: string): Promise<void> =>
  signalContainer({ namespace, pod, container }, 'SIGKILL');

const pki = (name: string): Buffer => readFileSync(join(folders.state, 'pki', name));

const askEtcd = (body: object): Promise<{ kvs?: { key: string; value: string }[]; more?: boolean }> =>
  new Promise((resolve, reject) => {
    const identity = {
      ca: pki('etcd-ca.crt'),
      cert: pki('kube-apiserver-etcd-client.crt'),
      key: pki('kube-apiserver-etcd-client.key'),
    };
    const sent = request(
      `https://${ports.etcd.address}:${ports.etcd.port}/v3/kv/range`,
      { method: 'POST', ...identity },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString('utf8'))));
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });

/** The first key after all keys with a prefix: the prefix with its last character one higher. */
const keyAfterPrefix = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCodePoint((prefix.codePointAt(prefix.length - 1) ?? 0) + 1);

/** Every key with a prefix and its bytes, read page by page. */
export const readEtcd = async (prefix: string): Promise<{ key: string; value: Buffer }[]> => {
  const end = keyAfterPrefix(prefix);
  const entries: { key: string; value: Buffer }[] = [];
  let from = prefix;
  for (;;) {
    const page = await askEtcd({ key: btoa(from), range_end: btoa(end), limit: 500 });
    for (const { key, value } of page.kvs ?? [])
      entries.push({ key: atob(key), value: Buffer.from(value, 'base64') });
    if (page.more !== true) return entries;
    // No key is between a key and the same key with a zero byte.
    from = `${entries.at(-1)?.key ?? from}\0`;
  }
};
