import { describe, expect, test } from '@jest/globals';
import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { LIMITS } from '#domain/pipeline/limits.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { compileWithSources, type SourcePorts } from './compile-with-sources.ts';
import type { ConfigurationAnswer, PipelineManifest, SourceAnswer } from './manifest-ports.ts';
import type { CachedSources } from './ports.ts';
import { MAX_FETCHING_PIPELINES, SourceTurns } from './source-turns.ts';

const manifest: PipelineManifest = { team: 'blue', pipeline: 'demo', namespace: 'blue', uid: 'uid' };
const found: ConfigurationAnswer & { answer: 'found' } = {
  answer: 'found',
  config: 'text',
  variables: {},
  digest: 'digest',
};
const pipeline: Pipeline = { resourceTypes: [], resources: [], jobs: [] };
const upTo = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`);
const text = (value: string): SourceAnswer => ({ text: value, digest: `sha256:${value}` });

interface World {
  /** Which sources each text names; a pipeline names `first`. */
  names?: Record<string, string[]>;
  answers?: Record<string, SourceAnswer>;
  cached?: CachedSources;
  turns?: SourceTurns;
  /** How long each fetch takes. */
  fetchMs?: number;
}

/** A compiler that requests every source that is named and not given. */
function ports({
  names = { pipeline: ['a'] },
  answers = {},
  cached,
  turns = new SourceTurns(),
  fetchMs = 0,
}: World) {
  let clock = 0;
  const read: string[] = [];
  const stored: CachedSources[] = [];
  const seen: ResolvedSources[] = [];
  const compile = (_config: string, _variables: object, sources: ResolvedSources = {}): Compilation => {
    seen.push(sources);
    const reached = ['pipeline'];
    for (const name of reached) reached.push(...(names[name] ?? []).filter((one) => !reached.includes(one)));
    const needs = reached.slice(1).filter((name) => !(name in sources));
    const missing = needs.filter((name) =>
      reached.some((by) => by in { pipeline: 1, ...sources } && names[by]?.includes(name)),
    );
    return missing.length > 0
      ? { diagnostics: [], needs: missing.map((source) => ({ source })) }
      : { diagnostics: [], pipeline };
  };
  const all: SourcePorts = {
    compiler: {
      compile: (...[config, variables, sources]) => Promise.resolve(compile(config, variables, sources)),
    },
    reader: {
      read: (source) => {
        read.push(source);
        clock += fetchMs;
        return Promise.resolve(answers[source] ?? text(source));
      },
      digest: (parts) => parts.join('|'),
    },
    store: {
      cachedSources: () => Promise.resolve(cached),
      cacheSources: (_name, one) => {
        stored.push(one);
        return Promise.resolve();
      },
    },
    rulesOf: () => ({}),
    turns,
    now: () => new Date(clock),
  };
  return { ports: all, read, stored, seen };
}

describe('a text', () => {
  test('a text without sources is read once, and its digest stays', async () => {
    const { ports: all, read, stored, seen } = ports({ names: {} });
    expect(await compileWithSources(manifest, found, all)).toMatchObject({ digest: 'digest' });
    expect({ read, stored, seen }).toEqual({ read: [], stored: [], seen: [{}] });
  });

  test('a text with sources has a digest that follows theirs, and they are cached', async () => {
    const { ports: all, read, stored } = ports({ names: { pipeline: ['b', 'a'] } });
    expect(await compileWithSources(manifest, found, all)).toEqual({
      compilation: { diagnostics: [], pipeline },
      digest: 'digest|a sha256:a|b sha256:b',
    });
    expect(read.toSorted()).toEqual(['a', 'b']);
    expect(stored).toMatchObject([{ key: 'digest|', sources: { a: text('a'), b: text('b') } }]);
  });

  test('a text follows sources that name others', async () => {
    const { ports: all, read } = ports({ names: { pipeline: ['a'], a: ['b'], b: ['c'] } });
    expect(await compileWithSources(manifest, found, all)).toMatchObject({ compilation: { pipeline } });
    expect(read).toEqual(['a', 'b', 'c']);
  });

  test('a text whose sources never end is given up', async () => {
    const names = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [i === 0 ? 'pipeline' : `s${i}`, [`s${i + 1}`]]),
    );
    const { ports: all, read } = ports({ names });
    const compiled = await compileWithSources(manifest, found, all);
    expect(compiled).toMatchObject({ compilation: { needs: [{}] } });
    expect(read.length).toBeLessThan(10);
  });
});

describe('cached sources', () => {
  const cached = { key: 'digest|', sources: { a: { text: 'old', digest: 'sha256:old' } } };

  test('cached sources are used again: a restart fetches nothing', async () => {
    const { ports: all, read, stored } = ports({ cached });
    expect(await compileWithSources(manifest, found, all)).toMatchObject({ digest: 'digest|a sha256:old' });
    expect({ read, stored }).toEqual({ read: [], stored: [] });
  });

  test.each<[what: string, change: object]>([
    ['another text', { digest: 'other' }],
    ['a request', { requestedAt: 'now' }],
  ])('cached sources are fetched again with %s', async (_what, change) => {
    const { ports: all, read, stored } = ports({ cached });
    await compileWithSources({ ...manifest, ...change }, { ...found, ...change }, all);
    expect(read).toEqual(['a']);
    expect(stored).toMatchObject([{ sources: { a: text('a') } }]);
  });
});

describe('a source that is not there', () => {
  test('a source that is temporarily unreachable is no error in the text, and nothing is cached', async () => {
    const { ports: all, stored } = ports({
      answers: { a: { failure: 'it took too long', transient: true } },
    });
    expect(await compileWithSources(manifest, found, all)).toEqual({ unavailable: ['a: it took too long.'] });
    expect(stored).toEqual([]);
  });

  test('a source that does not exist is reported to the compiler and requested again next time', async () => {
    const {
      ports: all,
      seen,
      stored,
    } = ports({ answers: { a: { failure: 'status 404', transient: false } } });
    await compileWithSources(manifest, found, all);
    expect(seen.at(-1)).toEqual({ a: { failure: 'status 404' } });
    expect(stored).toEqual([]);
  });
});

/** How many sources were fetched, and the result for the pipeline. */
async function messages(world: World): Promise<{ read: number; texts: string[] }> {
  const { ports: all, read, stored } = ports(world);
  const compiled = await compileWithSources(manifest, found, all);
  expect(stored).toEqual([]);
  const diagnostics = 'compilation' in compiled ? compiled.compilation.diagnostics : [];
  return { read: read.length, texts: diagnostics.map(({ message }) => message) };
}

describe('a pipeline with more sources than are allowed', () => {
  test('a pipeline with too many sources is refused before anything is fetched', async () => {
    expect(await messages({ names: { pipeline: upTo(LIMITS.sources + 1) } })).toEqual({
      read: 0,
      texts: [`the pipeline names 51 sources to fetch; at most 50 are allowed`],
    });
  });

  test('sources that other sources name count toward the limit', async () => {
    const names = { pipeline: ['a'], a: upTo(LIMITS.sources) };
    expect(await messages({ names })).toMatchObject({
      read: 1,
      texts: [expect.stringContaining('names 51 sources')],
    });
  });

  test('a pipeline whose sources are too long together is refused, and the rest is not fetched', async () => {
    const long = text('x'.repeat(LIMITS.bytes));
    const names = { pipeline: upTo(LIMITS.sources) };
    const answers = Object.fromEntries(upTo(LIMITS.sources).map((name) => [name, long]));
    const { read, texts } = await messages({ names, answers });
    expect(texts).toEqual(['the sources of the pipeline are longer than 2 MiB in all']);
    expect(read).toBeLessThan(20);
  });
});

test('sources that take too long together are given up for now', async () => {
  const { ports: all, read } = ports({ names: { pipeline: upTo(50) }, fetchMs: 5000 });
  const compiled = await compileWithSources(manifest, found, all);
  expect(compiled).toMatchObject({
    unavailable: expect.arrayContaining([expect.stringContaining('longer than 60 s')]),
  });
  expect(read.length).toBeLessThan(25);
});

test('each team fetches for one pipeline at a time, and texts without sources do not wait', async () => {
  const turns = new SourceTurns();
  const ends = Array.from({ length: MAX_FETCHING_PIPELINES }, (_, index) => turns.take(`team-${index}`));
  expect(turns.take('team-0')).toBeUndefined();
  const { ports: all, read } = ports({ turns });
  expect(await compileWithSources(manifest, found, all)).toEqual({ busy: true });
  expect(read).toEqual([]);
  expect(await compileWithSources(manifest, found, ports({ turns, names: {} }).ports)).toMatchObject({
    digest: 'digest',
  });
  ends[0]?.();
  expect(await compileWithSources(manifest, found, all)).toMatchObject({ compilation: { pipeline } });
  expect(turns.take('team-0')).toBeDefined();
});
