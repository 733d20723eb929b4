import { createHash, generateKeyPairSync } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { cutLog } from '#domain/build/log-limit.ts';
import { createMasker } from '#domain/build/mask-secrets.ts';
import { storable } from '#domain/build/storable.ts';

/*
 * Measures what masking costs on the path of a step's output through the agent: bytes from the shim become
 * text that can be stored, are masked, pass the limit of the log, and become bodies of requests. Without
 * secrets the masker only copies. The sets of secrets alternate in one run on the same output
 * (docs/benchmarks.md):
 *
 *   node bench/logs/masking.ts [--runs 25] [--megabytes 32]      make bench-masking
 */
const MAX_RATIO = 1.3;
const CHUNK_BYTES = 64 * 1024;
const runs = numberFlag('runs', 25);
const megabytes = numberFlag('megabytes', 32);

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const token = (index: number): string => `tok_${hash(`token ${index}`).slice(0, 36)}`;
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

const PLAIN = 'no secrets: a plain copy';
const SECRETS: Record<string, string[]> = {
  [PLAIN]: [],
  '5 tokens': Array.from({ length: 5 }, (_, index) => token(index)),
  '50 tokens': Array.from({ length: 50 }, (_, index) => token(index)),
  '5 tokens and a private key of 28 lines': [
    ...Array.from({ length: 5 }, (_, index) => token(index)),
    privateKey,
  ],
};

/** Lines like those of a build, one in a thousand with a token. */
function makeChunks(): Buffer[] {
  const lines: string[] = [];
  let bytes = 0;
  for (let index = 0; bytes < megabytes * 1024 * 1024; index += 1) {
    const message =
      index % 1000 === 0
        ? `login with ${token(index % 5)}`
        : `compiled src/${hash(String(index)).slice(0, 24)}.ts`;
    const time = `2026-11-23T22:10:${String(index % 60).padStart(2, '0')}Z`;
    const line = `${time} [${index % 8}] ${message} in ${index % 977} ms, ok\n`;
    lines.push(line);
    bytes += line.length;
  }
  const output = Buffer.from(lines.join(''));
  return Array.from({ length: Math.ceil(output.length / CHUNK_BYTES) }, (_, index) =>
    output.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );
}

/** Runs `work` and returns its processor time in milliseconds. */
function processorTime(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/**
 * Does what `StepLog` and the outbox do with a log, without timers, batches and requests. Returns
 * milliseconds of processor time: `prepare` is what an agent needs once for each build and each new secret.
 */
function measure(input: readonly Buffer[], secrets: string[]): { prepare: number; copy: number } {
  const decoder = new StringDecoder('utf8');
  const masker = createMasker(secrets);
  const prepare = processorTime(() => masker.mask('.'));
  const mask = masker.stream();
  let [used, sent] = [0, 0];
  const send = (text: string): void => {
    const cut = cutLog(text, used, Infinity);
    used = cut.used;
    sent += JSON.stringify({ type: 'log', step: '0', text: cut.text }).length;
  };
  const copy = processorTime(() => {
    for (const chunk of input) send(mask.write(storable(decoder.write(chunk))));
    send(mask.end());
  });
  if (sent === 0) throw new Error('nothing was sent');
  return { prepare, copy };
}

const chunks = makeChunks();
const samples = new Map(
  Object.keys(SECRETS).map((name) => [name, { prepare: [] as number[], copy: [] as number[] }] as const),
);
for (let run = -2; run < runs; run += 1) {
  for (const [name, secrets] of Object.entries(SECRETS)) {
    const times = measure(chunks, secrets);
    // The first two rounds warm up.
    if (run < 0) continue;
    samples.get(name)?.prepare.push(times.prepare);
    samples.get(name)?.copy.push(times.copy);
  }
}
const plainCopy = summarise(samples.get(PLAIN)?.copy ?? []).median;
const rows = [...samples].map(([name, { prepare, copy }]) => {
  const { median, p90 } = summarise(copy);
  const ratio = median / plainCopy;
  const verdict = ratio <= MAX_RATIO ? '' : ': **missed**';
  const preparation = summarise(prepare).median;
  return [
    name,
    `${median.toFixed(0)} ms, ${p90.toFixed(0)} ms`,
    `${ratio.toFixed(2)}${verdict}`,
    `${preparation.toFixed(1)} ms`,
  ];
});
process.stdout.write(`${circumstances()}; ${megabytes} MiB, ${runs} runs, processor time\n\n`);
const head = ['The log of a step', 'Median, p90', `Ratio (aim ≤ ${MAX_RATIO})`, 'Preparing the mask, once'];
process.stdout.write(`${table(head, rows)}\n`);
