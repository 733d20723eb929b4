import { createHash, generateKeyPairSync } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { summarise } from '#bench/statistics.ts';
import { circumstances, numberFlag, table } from '#bench/table.ts';
import { cutLog } from '#domain/build/log-limit.ts';
import { createMasker } from '#domain/build/mask-secrets.ts';
import { storable } from '#domain/build/storable.ts';

/*
 * Measures what masking costs on the path of a step's output through the agent: bytes from the shim become text
 * that can be stored, within the limit of the log, and then bodies of requests. Without secrets the output is
 * only copied. The kinds of output alternate in one run (docs/benchmarks.md):
 *
 *   node bench/logs/masking.ts [--runs 25] [--megabytes 32]      make bench-masking
 */
const AIM = 1.3;
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
function chunks(): Buffer[] {
  const lines: string[] = [];
  let bytes = 0;
  for (let index = 0; bytes < megabytes * 1024 * 1024; index += 1) {
    const what =
      index % 1000 === 0
        ? `login with ${token(index % 5)}`
        : `compiled src/${hash(String(index)).slice(0, 24)}.ts`;
    const time = `2026-11-23T22:10:${String(index % 60).padStart(2, '0')}Z`;
    const line = `${time} [${index % 8}] ${what} in ${index % 977} ms, ok\n`;
    lines.push(line);
    bytes += line.length;
  }
  const all = Buffer.from(lines.join(''));
  return Array.from({ length: Math.ceil(all.length / CHUNK_BYTES) }, (_, index) =>
    all.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );
}

/** Milliseconds of the processor. */
function processorTime(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/**
 * The steps of `StepLog` and of the outbox, without timers. `prepare` runs once for each build and each new
 * secret.
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
    for (const piece of input) send(mask.write(storable(decoder.write(piece))));
    send(mask.end());
  });
  if (sent === 0) throw new Error('nothing was sent');
  return { prepare, copy };
}

const pieces = chunks();
const samples = new Map(
  Object.keys(SECRETS).map((name) => [name, { prepare: [] as number[], copy: [] as number[] }] as const),
);
for (let run = -2; run < runs; run += 1) {
  for (const [name, secrets] of Object.entries(SECRETS)) {
    const took = measure(pieces, secrets);
    // The first two rounds warm up.
    if (run < 0) continue;
    samples.get(name)?.prepare.push(took.prepare);
    samples.get(name)?.copy.push(took.copy);
  }
}
const plain = summarise(samples.get(PLAIN)?.copy ?? []).median;
const rows = [...samples].map(([name, { prepare, copy }]) => {
  const { median, p90 } = summarise(copy);
  const ratio = median / plain;
  const verdict = ratio <= AIM ? '' : ': **missed**';
  const once = summarise(prepare).median;
  return [
    name,
    `${median.toFixed(0)} ms, ${p90.toFixed(0)} ms`,
    `${ratio.toFixed(2)}${verdict}`,
    `${once.toFixed(1)} ms`,
  ];
});
process.stdout.write(`${circumstances()}; ${megabytes} MiB, ${runs} runs, processor time\n\n`);
const head = ['The log of a step', 'Median, p90', `Ratio (aim ≤ ${AIM})`, 'Preparing the mask, once'];
process.stdout.write(`${table(head, rows)}\n`);
