import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { ensureAuthority, pairAt } from '#tools/cluster/certificates.ts';
import { sealedAgent, tlsAgent, type Agent } from './agent-channel/agents.ts';
import { buildShim, OWN_LINK, startShim, usageOf } from './agent-channel/shims.ts';

/*
 * Compares the sealed channel between agent and shim with TLS 1.3 (docs/adr/0044): size, start, processor,
 * memory:
 *
 *   node bench/comparisons/agent-channel.ts [--rounds 10]
 *
 * It builds the whole shim twice, once with its own link and once with `agent-channel/link-over-tls.go`, and
 * drives both with the agent's own code. They take turns. It needs Go, runs as root (the shim hides from
 * others in /proc), and takes 40 seconds.
 */
const STARTS = 15;
const STREAM_BYTES = 64 * 1024 * 1024;

interface Channel {
  name: string;
  program: string;
  bytes: number;
  listen(): Promise<Agent>;
  found: Found;
}

interface Found {
  connected: number[];
  firstFrame: number[];
  startCpu: number[];
  idleRss: number[];
  stream: number[];
  agentCpu: number[];
  shimCpu: number[];
  mostRss: number[];
}

const nothing = (): Found => ({
  connected: [],
  firstFrame: [],
  startCpu: [],
  idleRss: [],
  stream: [],
  agentCpu: [],
  shimCpu: [],
  mostRss: [],
});

const secret = randomBytes(32).toString('base64url');
const negotiated = new Set<string>();

async function main(): Promise<void> {
  const rounds = numberFlag('rounds', 10);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-measure-'));
  const begun = performance.now();
  console.log(circumstances());
  try {
    const channels = await build(folder);
    await measureAll(channels, 1);
    // The rounds so far warmed up the agent's code and do not count.
    for (const channel of channels) channel.found = nothing();
    await measureAll(channels, rounds);
    console.log(`\n${report(channels)}\n\nTLS: ${[...negotiated].join(', ')}`);
    console.log(`${circumstances()}; ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function build(folder: string): Promise<Channel[]> {
  const pair = pairAt(folder, 'agent');
  await ensureAuthority(pair, 'agent');
  const sealed = await buildShim(join(folder, 'sealed'), OWN_LINK);
  const tls = await buildShim(
    join(folder, 'tls'),
    join(import.meta.dirname, 'agent-channel/link-over-tls.go'),
  );
  return [
    { name: 'sealed frames', ...sealed, listen: () => sealedAgent(secret), found: nothing() },
    { name: 'TLS 1.3', ...tls, listen: () => tlsAgent(secret, pair, negotiated), found: nothing() },
  ];
}

/** The channels alternate for each shim, and each round starts with another channel. */
async function measureAll(channels: Channel[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? channels : channels.toReversed();
    const work = [...Array.from({ length: STARTS }, () => measureStart), measureStream, measureStream];
    const turns = work.flatMap((task) => order.map((channel) => () => withShim(channel, task)));
    for (const take of turns) await take();
  }
}

interface Running {
  shim: ChildProcess;
  connected: Promise<ShimConnection>;
  begun: number;
  found: Found;
}

async function withShim(channel: Channel, measureIt: (running: Running) => Promise<void>): Promise<void> {
  const agent = await channel.listen();
  const begun = performance.now();
  const shim = startShim(channel.program, secret, agent);
  const ended = once(shim, 'exit');
  try {
    await measureIt({ shim, connected: agent.connected, begun, found: channel.found });
    await (await agent.connected).end();
  } finally {
    shim.kill('SIGKILL');
  }
  await ended;
}

/**
 * Time from the shim's start until the agent accepts it, and until the first frame of its first command
 * arrives.
 */
async function measureStart({ shim, connected, begun, found }: Running): Promise<void> {
  const connection = await connected;
  found.connected.push(performance.now() - begun);
  const { cpuMs, rss } = usageOf(shim.pid ?? 0);
  found.startCpu.push(cpuMs);
  found.idleRss.push(rss);
  const asked = performance.now();
  let first = 0;
  const running = connection.run(
    { argv: ['/bin/true'], env: {} },
    { onStarted: () => (first = performance.now() - asked), onOutput: () => undefined },
  );
  await running.ended;
  found.firstFrame.push((found.connected.at(-1) ?? 0) + first);
}

async function measureStream({ shim, connected, found }: Running): Promise<void> {
  const connection = await connected;
  const before = usageOf(shim.pid ?? 0);
  const cpu = process.cpuUsage();
  const begun = performance.now();
  let bytes = 0;
  const argv = ['/bin/dd', 'if=/dev/zero', 'bs=64k', `count=${STREAM_BYTES / 65_536}`, 'status=none'];
  const take = (_: unknown, more: Buffer): void => {
    bytes += more.length;
  };
  await connection.run({ argv, env: {} }, { onOutput: take }).ended;
  const { user, system } = process.cpuUsage(cpu);
  if (bytes !== STREAM_BYTES) throw new Error(`${bytes} bytes came.`);
  found.stream.push(performance.now() - begun);
  found.agentCpu.push((user + system) / 1000);
  const after = usageOf(shim.pid ?? 0);
  found.shimCpu.push(after.cpuMs - before.cpuMs);
  found.mostRss.push(after.most);
}

const rows: { title: string; unit: string; field: keyof Found }[] = [
  { title: 'start until the agent accepts it', unit: 'ms', field: 'connected' },
  { title: 'start until the first frame', unit: 'ms', field: 'firstFrame' },
  { title: "the shim's CPU until then", unit: 'ms', field: 'startCpu' },
  { title: "the shim's memory, idle", unit: 'MB', field: 'idleRss' },
  { title: '64 MiB of log', unit: 'ms', field: 'stream' },
  { title: "… the agent's CPU", unit: 'ms', field: 'agentCpu' },
  { title: "… the shim's CPU", unit: 'ms', field: 'shimCpu' },
  { title: "… the shim's memory at most", unit: 'MB', field: 'mostRss' },
];

const ratio = ([own = 0, other = 0]: number[]): string => (other / own).toFixed(2);

function report(channels: Channel[]): string {
  const sizes = channels.map(({ bytes }) => bytes);
  const lines = rows.map(({ title, unit, field }) => {
    const found = channels.map((channel) => summarise(channel.found[field]));
    const shown = found.map(({ median, p90 }) => `${median.toFixed(1)} / ${p90.toFixed(1)} ${unit}`);
    return [`${title} (n = ${found[0]?.runs ?? 0})`, ...shown, ratio(found.map(({ median }) => median))];
  });
  return table(
    ['median / p90', ...channels.map(({ name }) => name), 'ratio'],
    [['size', ...sizes.map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`), ratio(sizes)], ...lines],
  );
}

await main();
