import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { markClientSecrets } from '#adapters/kubernetes/objects/client-secrets.ts';
import * as releaseSecrets from './release-secrets.ts';
import { markSecrets } from './secret-marks.ts';

const NAMES = [
  'admin',
  'database',
  'internal-ca',
  'internal-tls',
  'keys',
  'oauth-api',
  'postgres-tls',
  'store',
  'webhook-tls',
];

interface Marks {
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
interface Stored {
  metadata: Partial<Marks>;
  data: Record<string, string>;
}
interface Patch {
  metadata?: { [Of in keyof Marks]?: Record<string, string | null> };
  data?: Record<string, string | null>;
}

/** Written out, because Argo CD reads these words whatever the code calls them. */
const MARKS = {
  labels: { 'app.kubernetes.io/managed-by': 'millrace' },
  annotations: {
    'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
    'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
  },
};

/** Merges as a JSON merge patch does: null removes. */
function merged(
  before: Record<string, string> = {},
  patch: Record<string, string | null> = {},
): Record<string, string> {
  const entries = Object.entries({ ...before, ...patch });
  return Object.fromEntries(entries.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}

let stored: Map<string, Stored>;

/** An API server that has only Secrets. */
const client: Pick<ApiClient, 'get' | 'create' | 'patchMerge'> = {
  get: async (_kind, { name }) => {
    const found = stored.get(name);
    return found === undefined
      ? { ok: false, status: 404, reason: 'NotFound', message: name }
      : { ok: true, value: JSON.parse(JSON.stringify(found)) };
  },
  create: async (_kind, object) => {
    const created: Stored & { metadata: { name: string } } = JSON.parse(JSON.stringify(object));
    stored.set(created.metadata.name, created);
    return { ok: true, value: object };
  },
  patchMerge: async (_kind, { name }, patch) => {
    const { metadata: marks, data }: Patch = JSON.parse(JSON.stringify(patch));
    const { metadata, data: values } = stored.get(name) ?? { metadata: {}, data: {} };
    const { labels, annotations } = metadata;
    const written = {
      metadata: {
        ...metadata,
        labels: merged(labels, marks?.labels),
        annotations: merged(annotations, marks?.annotations),
      },
      data: merged(values, data),
    };
    stored.set(name, written);
    return { ok: true, value: JSON.parse(JSON.stringify(written)) };
  },
};

let now = new Date('2026-11-22T12:00:00Z');
let pairs = 0;
const makePair = async () => {
  pairs += 1;
  return { publicKey: `public ${pairs}`, privateKey: `private ${pairs}` };
};
const options = {
  client,
  namespace: 'ci',
  release: 'rel',
  now: () => now,
  makePair,
  mayRotate: true,
};

/** Creates everything that the module can create, so that a Secret added later is tested too. */
async function ensureAll(): Promise<void> {
  for (const [name, make] of Object.entries(releaseSecrets))
    if (name.startsWith('ensure')) await make(options, 'rel-postgres');
}

const storedMarks = (): Record<string, unknown> =>
  Object.fromEntries(
    [...stored].map(([name, { metadata }]) => [
      name,
      { labels: metadata.labels, annotations: metadata.annotations },
    ]),
  );
const allMarked = Object.fromEntries(NAMES.map((name) => [`rel-${name}`, MARKS]));

beforeEach(async () => {
  stored = new Map();
  now = new Date('2026-11-22T12:00:00Z');
  await ensureAll();
});

describe('each Secret of the operator has the marks that stop Argo CD from pruning or deleting it', () => {
  test('when it is created', () => {
    expect(storedMarks()).toEqual(allMarked);
  });

  test('when it is renewed', async () => {
    const before = stored.get('rel-webhook-tls')?.data['tls.crt'];
    now = new Date('2046-11-22T12:00:00Z');
    await ensureAll();
    expect(stored.get('rel-webhook-tls')?.data['tls.crt']).not.toBe(before);
    expect(storedMarks()).toEqual(allMarked);
  });

  test('when an older release created it', async () => {
    for (const secret of stored.values())
      secret.metadata = {
        ...secret.metadata,
        labels: { ...MARKS.labels, 'app.kubernetes.io/instance': 'rel' },
        annotations: {},
      };
    await markSecrets(options);
    await markClientSecrets({ client, namespace: 'ci', name: 'rel-oauth-api' });
    expect(storedMarks()).toEqual(allMarked);
  });
});

describe('the Secrets of the operator', () => {
  const root = join(import.meta.dirname, '../../../..');
  const sources = globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !/\.test\.|-under-test\.|^src\/testing\//.test(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const matches = (pattern: RegExp): string[] =>
    sources.flatMap(({ file, text }) =>
      [...text.matchAll(pattern)].map(([match]) => `${basename(file)}: ${match}`),
    );

  test('are created only by the function that marks them', () => {
    expect(matches(/\w+\(\s*KINDS\.secrets,\s*secret\(/g)).toEqual([
      'release-secrets.ts: create(KINDS.secrets, secret(',
      'release-secrets.ts: create(KINDS.secrets, secret(',
    ]);
    expect(matches(/kind: 'Secret'|stringData/g)).toEqual(["release-secrets.ts: kind: 'Secret'"]);
  });

  test('are otherwise only read or patched', () => {
    const calls = matches(/(?<!\w)\w+\(\s*KINDS\.secrets(?!,\s*secret\()/g).map((call) =>
      call.replace(/^.*: (\w+)\(.*$/s, '$1'),
    );
    expect(new Set(calls)).toEqual(new Set(['get', 'patchMerge']));
  });
});
