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
const CONFIGURATION: ConfigurationAnswer & { answer: 'found' } = {
  answer: 'found',
  config: 'text',
  variables: {},
  digest: 'digest',
};
const pipeline: Pipeline = { resourceTypes: [], resources: [], jobs: [] };
const sourceNames = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`);
const text = (value: string): SourceAnswer => ({ text: value, digest: `sha256:${value}` });

interface Situation {
  /** Which sources each text names. The text of the pipeline has the name `pipeline`. */
  names?: Record<string, string[]>;
  answers?: Record<string, SourceAnswer>;
  cached?: CachedSources;
  turns?: SourceTurns;
  /** How long each fetch takes. */
  fetchMs?: number;
}

/** Ports with a compiler that requests each unknown source that a known text names. */
function portsOf({
  names = { pipeline: ['a'] },
  answers = {},
  cached,
  turns = new SourceTurns(),
  fetchMs = 0,
}: Situation) {
  let clock = 0;
  const fetched: string[] = [];
  const stored: CachedSources[] = [];
  const compiledWith: ResolvedSources[] = [];
  const compile = (_config: string, _variables: object, sources: ResolvedSources = {}): Compilation => {
    compiledWith.push(sources);
    const reached = ['pipeline'];
    // The loop also visits the names that it appends.
    for (const name of reached)
      reached.push(...(names[name] ?? []).filter((source) => !reached.includes(source)));
    const needs = reached.slice(1).filter((name) => !(name in sources));
    const missing = needs.filter((name) =>
      reached.some((naming) => naming in { pipeline: 1, ...sources } && names[naming]?.includes(name)),
    );
    return missing.length > 0
      ? { diagnostics: [], needs: missing.map((source) => ({ source })) }
      : { diagnostics: [], pipeline };
  };
  const ports: SourcePorts = {
    compiler: {
      compile: (...[config, variables, sources]) => Promise.resolve(compile(config, variables, sources)),
    },
    reader: {
      read: (source) => {
        fetched.push(source);
        clock += fetchMs;
        return Promise.resolve(answers[source] ?? text(source));
      },
      digest: (parts) => parts.join('|'),
    },
    store: {
      cachedSources: () => Promise.resolve(cached),
      cacheSources: (_name, sources) => {
        stored.push(sources);
        return Promise.resolve();
      },
    },
    rulesOf: () => ({}),
    turns,
    now: () => new Date(clock),
  };
  return { ports, fetched, stored, compiledWith };
}

describe('a text', () => {
  test('a text without sources is read once, and its digest stays', async () => {
    const { ports, fetched, stored, compiledWith } = portsOf({ names: {} });
    expect(await compileWithSources(manifest, CONFIGURATION, ports)).toMatchObject({ digest: 'digest' });
    expect({ fetched, stored, compiledWith }).toEqual({ fetched: [], stored: [], compiledWith: [{}] });
  });

  test('a text with sources has a digest that follows theirs, and they are cached', async () => {
    const { ports, fetched, stored } = portsOf({ names: { pipeline: ['b', 'a'] } });
    expect(await compileWithSources(manifest, CONFIGURATION, ports)).toEqual({
      compilation: { diagnostics: [], pipeline },
      digest: 'digest|a sha256:a|b sha256:b',
    });
    expect(fetched.toSorted()).toEqual(['a', 'b']);
    expect(stored).toMatchObject([{ key: 'digest|', sources: { a: text('a'), b: text('b') } }]);
  });

  test('a text follows sources that name others', async () => {
    const { ports, fetched } = portsOf({ names: { pipeline: ['a'], a: ['b'], b: ['c'] } });
    expect(await compileWithSources(manifest, CONFIGURATION, ports)).toMatchObject({
      compilation: { pipeline },
    });
    expect(fetched).toEqual(['a', 'b', 'c']);
  });

  test('a text whose sources name further sources without end is given up', async () => {
    const names = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [i === 0 ? 'pipeline' : `s${i}`, [`s${i + 1}`]]),
    );
    const { ports, fetched } = portsOf({ names });
    const compiled = await compileWithSources(manifest, CONFIGURATION, ports);
    expect(compiled).toMatchObject({ compilation: { needs: [{}] } });
    expect(fetched.length).toBeLessThan(10);
  });
});

describe('cached sources', () => {
  const cached = { key: 'digest|', sources: { a: { text: 'old', digest: 'sha256:old' } } };

  test('cached sources are used again: a restart fetches nothing', async () => {
    const { ports, fetched, stored } = portsOf({ cached });
    expect(await compileWithSources(manifest, CONFIGURATION, ports)).toMatchObject({
      digest: 'digest|a sha256:old',
    });
    expect({ fetched, stored }).toEqual({ fetched: [], stored: [] });
  });

  test.each<[title: string, change: object]>([
    ['another text', { digest: 'other' }],
    ['a request', { requestedAt: 'now' }],
  ])('cached sources are fetched again with %s', async (_title, change) => {
    const { ports, fetched, stored } = portsOf({ cached });
    await compileWithSources({ ...manifest, ...change }, { ...CONFIGURATION, ...change }, ports);
    expect(fetched).toEqual(['a']);
    expect(stored).toMatchObject([{ sources: { a: text('a') } }]);
  });
});

describe('a source that is not there', () => {
  test('a source that is temporarily unreachable is not an error in the text, and nothing is cached', async () => {
    const { ports, stored } = portsOf({
      answers: { a: { failure: 'it took too long', transient: true } },
    });
    expect(await compileWithSources(manifest, CONFIGURATION, ports)).toEqual({
      unavailable: ['a: it took too long.'],
    });
    expect(stored).toEqual([]);
  });

  test('a source that does not exist is reported to the compiler and requested again next time', async () => {
    const { ports, compiledWith, stored } = portsOf({
      answers: { a: { failure: 'status 404', transient: false } },
    });
    await compileWithSources(manifest, CONFIGURATION, ports);
    expect(compiledWith.at(-1)).toEqual({ a: { failure: 'status 404' } });
    expect(stored).toEqual([]);
  });
});

/** How many sources were fetched, and the messages about the pipeline. */
async function compileRefused(situation: Situation): Promise<{ fetched: number; messages: string[] }> {
  const { ports, fetched, stored } = portsOf(situation);
  const compiled = await compileWithSources(manifest, CONFIGURATION, ports);
  expect(stored).toEqual([]);
  const diagnostics = 'compilation' in compiled ? compiled.compilation.diagnostics : [];
  return { fetched: fetched.length, messages: diagnostics.map(({ message }) => message) };
}

describe('a pipeline with more sources than are allowed', () => {
  test('a pipeline with too many sources is refused before anything is fetched', async () => {
    expect(await compileRefused({ names: { pipeline: sourceNames(LIMITS.sources + 1) } })).toEqual({
      fetched: 0,
      messages: [`the pipeline names 51 sources to fetch; at most 50 are allowed`],
    });
  });

  test('sources that other sources name count toward the limit', async () => {
    const names = { pipeline: ['a'], a: sourceNames(LIMITS.sources) };
    expect(await compileRefused({ names })).toMatchObject({
      fetched: 1,
      messages: [expect.stringContaining('names 51 sources')],
    });
  });

  test('a pipeline whose sources are too long together is refused, and the rest is not fetched', async () => {
    const long = text('x'.repeat(LIMITS.bytes));
    const names = { pipeline: sourceNames(LIMITS.sources) };
    const answers = Object.fromEntries(sourceNames(LIMITS.sources).map((name) => [name, long]));
    const { fetched, messages } = await compileRefused({ names, answers });
    expect(messages).toEqual(['the sources of the pipeline are longer than 2 MiB in all']);
    expect(fetched).toBeLessThan(20);
  });

  test('the length of sources counts in bytes', async () => {
    const long = text('€'.repeat(LIMITS.bytes / 3));
    const names = { pipeline: sourceNames(LIMITS.sources) };
    const answers = Object.fromEntries(sourceNames(LIMITS.sources).map((name) => [name, long]));
    const { fetched } = await compileRefused({ names, answers });
    expect(fetched).toBeLessThan(20);
  });
});

test('sources that take too long together are given up for now', async () => {
  const { ports, fetched } = portsOf({ names: { pipeline: sourceNames(50) }, fetchMs: 5000 });
  const compiled = await compileWithSources(manifest, CONFIGURATION, ports);
  expect(compiled).toMatchObject({
    unavailable: expect.arrayContaining([expect.stringContaining('longer than 60 s')]),
  });
  expect(fetched.length).toBeLessThan(25);
});

test('each team fetches for one pipeline at a time, and texts without sources do not wait', async () => {
  const turns = new SourceTurns();
  const leaveTurns = Array.from({ length: MAX_FETCHING_PIPELINES }, (_, index) =>
    turns.take(`team-${index}`),
  );
  expect(turns.take('team-0')).toBeUndefined();
  const { ports, fetched } = portsOf({ turns });
  expect(await compileWithSources(manifest, CONFIGURATION, ports)).toEqual({ busy: true });
  expect(fetched).toEqual([]);
  expect(
    await compileWithSources(manifest, CONFIGURATION, portsOf({ turns, names: {} }).ports),
  ).toMatchObject({
    digest: 'digest',
  });
  leaveTurns[0]?.();
  expect(await compileWithSources(manifest, CONFIGURATION, ports)).toMatchObject({
    compilation: { pipeline },
  });
  expect(turns.take('team-0')).toBeDefined();
});
