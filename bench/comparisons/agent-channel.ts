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
import { sealedAgent, tlsAgent, type AgentEnd } from './agent-channel/agents.ts';
import { buildShim, SEALED_CHANNEL, startShim, usageOf } from './agent-channel/shims.ts';

/*
 * Compares the sealed channel between agent and shim with TLS 1.3 (docs/adr/0044): size, start time,
 * processor time and memory:
 *
 *   node bench/comparisons/agent-channel.ts [--rounds 10]
 *
 * It builds the whole shim twice, once with its own link and once with `agent-channel/link-over-tls.go`, and
 * drives both through the agent's own `ShimConnection`. They take turns. It needs Go and root, because only
 * root can read the shim's files in /proc. Ten rounds take about 40 seconds.
 */
const STARTS = 15;
const STREAM_BYTES = 64 * 1024 * 1024;

interface Channel {
  name: string;
  program: string;
  bytes: number;
  listen(): Promise<AgentEnd>;
  samples: Samples;
}

/** What was measured so far, in milliseconds or MiB. */
interface Samples {
  connected: number[];
  firstFrame: number[];
  startCpu: number[];
  idleRss: number[];
  stream: number[];
  agentCpu: number[];
  shimCpu: number[];
  peakRss: number[];
}

const noSamples = (): Samples => ({
  connected: [],
  firstFrame: [],
  startCpu: [],
  idleRss: [],
  stream: [],
  agentCpu: [],
  shimCpu: [],
  peakRss: [],
});

const secret = randomBytes(32).toString('base64url');
const negotiated = new Set<string>();

async function main(): Promise<void> {
  const rounds = numberFlag('rounds', 10);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-measure-'));
  const startedAt = performance.now();
  console.log(circumstances());
  try {
    const channels = await build(folder);
    await measureAll(channels, 1);
    // The first round warmed up the agent's code and does not count.
    for (const channel of channels) channel.samples = noSamples();
    await measureAll(channels, rounds);
    console.log(`\n${report(channels)}\n\nTLS: ${[...negotiated].join(', ')}`);
    console.log(`${circumstances()}; ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function build(folder: string): Promise<Channel[]> {
  const pair = pairAt(folder, 'agent');
  await ensureAuthority(pair, 'agent');
  const sealed = await buildShim(join(folder, 'sealed'), SEALED_CHANNEL);
  const tls = await buildShim(
    join(folder, 'tls'),
    join(import.meta.dirname, 'agent-channel/link-over-tls.go'),
  );
  return [
    { name: 'sealed frames', ...sealed, listen: () => sealedAgent(secret), samples: noSamples() },
    { name: 'TLS 1.3', ...tls, listen: () => tlsAgent(secret, pair, negotiated), samples: noSamples() },
  ];
}

/**
 * Makes each measurement with one channel and then with the other. The channel that comes first changes with
 * each round.
 */
async function measureAll(channels: Channel[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? channels : channels.toReversed();
    const work = [...Array.from({ length: STARTS }, () => measureStart), measureStream, measureStream];
    const turns = work.flatMap((task) => order.map((channel) => () => withShim(channel, task)));
    for (const turn of turns) await turn();
  }
}

interface Running {
  shim: ChildProcess;
  connected: Promise<ShimConnection>;
  startedAt: number;
  samples: Samples;
}

/** Starts the agent's end of a channel and then a shim, measures them, and ends both. */
async function withShim(channel: Channel, measure: (running: Running) => Promise<void>): Promise<void> {
  const agent = await channel.listen();
  const startedAt = performance.now();
  const shim = startShim(channel.program, secret, agent);
  const ended = once(shim, 'exit');
  try {
    await measure({ shim, connected: agent.connected, startedAt, samples: channel.samples });
    await (await agent.connected).end();
  } finally {
    shim.kill('SIGKILL');
  }
  await ended;
}

/**
 * Time from the shim's start until the agent accepts it, and until the first frame of its first command
 * arrives. The second time leaves out the reading of the shim's usage in between.
 */
async function measureStart({ shim, connected, startedAt, samples }: Running): Promise<void> {
  const connection = await connected;
  samples.connected.push(performance.now() - startedAt);
  const { cpuMs, rss } = usageOf(shim.pid ?? 0);
  samples.startCpu.push(cpuMs);
  samples.idleRss.push(rss);
  const requestedAt = performance.now();
  let firstFrameMs = 0;
  const running = connection.run(
    { argv: ['/bin/true'], env: {} },
    { onStarted: () => (firstFrameMs = performance.now() - requestedAt), onOutput: () => undefined },
  );
  await running.ended;
  samples.firstFrame.push((samples.connected.at(-1) ?? 0) + firstFrameMs);
}

async function measureStream({ shim, connected, samples }: Running): Promise<void> {
  const connection = await connected;
  const before = usageOf(shim.pid ?? 0);
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let bytes = 0;
  const argv = ['/bin/dd', 'if=/dev/zero', 'bs=64k', `count=${STREAM_BYTES / 65_536}`, 'status=none'];
  const countBytes = (_: unknown, output: Buffer): void => {
    bytes += output.length;
  };
  await connection.run({ argv, env: {} }, { onOutput: countBytes }).ended;
  const { user, system } = process.cpuUsage(cpu);
  if (bytes !== STREAM_BYTES) throw new Error(`${bytes} of ${STREAM_BYTES} bytes arrived.`);
  samples.stream.push(performance.now() - startedAt);
  samples.agentCpu.push((user + system) / 1000);
  const after = usageOf(shim.pid ?? 0);
  samples.shimCpu.push(after.cpuMs - before.cpuMs);
  samples.peakRss.push(after.peak);
}

const rows: { title: string; unit: string; field: keyof Samples }[] = [
  { title: 'start until the agent accepts it', unit: 'ms', field: 'connected' },
  { title: 'start until the first frame of a command', unit: 'ms', field: 'firstFrame' },
  { title: "the shim's CPU until the agent accepts it", unit: 'ms', field: 'startCpu' },
  { title: "the shim's memory then, idle", unit: 'MiB', field: 'idleRss' },
  { title: '64 MiB of output', unit: 'ms', field: 'stream' },
  { title: "… the agent's CPU", unit: 'ms', field: 'agentCpu' },
  { title: "… the shim's CPU", unit: 'ms', field: 'shimCpu' },
  { title: "… the shim's memory at most", unit: 'MiB', field: 'peakRss' },
];

const ratio = ([own = 0, other = 0]: number[]): string => (other / own).toFixed(2);

function report(channels: Channel[]): string {
  const sizes = channels.map(({ bytes }) => bytes);
  const lines = rows.map(({ title, unit, field }) => {
    const summaries = channels.map((channel) => summarise(channel.samples[field]));
    const cells = summaries.map(({ median, p90 }) => `${median.toFixed(1)} / ${p90.toFixed(1)} ${unit}`);
    return [
      `${title} (n = ${summaries[0]?.runs ?? 0})`,
      ...cells,
      ratio(summaries.map(({ median }) => median)),
    ];
  });
  return table(
    ['median / p90', ...channels.map(({ name }) => name), 'TLS to sealed'],
    [['size', ...sizes.map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`), ratio(sizes)], ...lines],
  );
}

await main();
