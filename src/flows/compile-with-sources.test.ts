import { describe, expect, test } from '@jest/globals';
import type { Compilation } from '#domain/pipeline/compile.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { ResolvedSources } from '#domain/pipeline/surroundings.ts';
import { compileWithSources } from './compile-with-sources.ts';
import type { SourcePorts } from './compile-with-sources.ts';
import type { ConfigurationAnswer, PipelineManifest, SourceAnswer } from './manifest-ports.ts';
import type { KeptSources } from './ports.ts';

const manifest: PipelineManifest = { team: 'blue', pipeline: 'demo', namespace: 'blue', uid: 'uid' };
const found: ConfigurationAnswer & { answer: 'found' } = {
  answer: 'found',
  config: 'text',
  variables: {},
  digest: 'digest',
};
const pipeline: Pipeline = { resourceTypes: [], resources: [], jobs: [] };
const text = (value: string): SourceAnswer => ({ text: value, digest: `sha256:${value}` });

interface World {
  /** Which sources each text names; a pipeline names `first`. */
  names?: Record<string, string[]>;
  answers?: Record<string, SourceAnswer>;
  kept?: KeptSources;
}

/** A compiler that asks for everything that is named and not at hand. */
function ports({ names = { pipeline: ['a'] }, answers = {}, kept }: World) {
  const read: string[] = [];
  const stored: KeptSources[] = [];
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
    compiler: { compile: (...given) => Promise.resolve(compile(...given)) },
    reader: {
      read: (source) => {
        read.push(source);
        return Promise.resolve(answers[source] ?? text(source));
      },
      digest: (parts) => parts.join('|'),
    },
    store: {
      keptSources: () => Promise.resolve(kept),
      keepSources: (_name, one) => {
        stored.push(one);
        return Promise.resolve();
      },
    },
    rulesOf: () => ({}),
  };
  return { ports: all, read, stored, seen };
}

describe('a text', () => {
  test('without sources is read once, and keeps its digest', async () => {
    const { ports: all, read, stored, seen } = ports({ names: {} });
    expect(await compileWithSources(manifest, found, all)).toMatchObject({ digest: 'digest' });
    expect({ read, stored, seen }).toEqual({ read: [], stored: [], seen: [{}] });
  });

  test('with sources has a digest that follows theirs, and they are kept', async () => {
    const { ports: all, read, stored } = ports({ names: { pipeline: ['b', 'a'] } });
    expect(await compileWithSources(manifest, found, all)).toEqual({
      compilation: { diagnostics: [], pipeline },
      digest: 'digest|a sha256:a|b sha256:b',
    });
    expect(read.toSorted()).toEqual(['a', 'b']);
    expect(stored).toMatchObject([{ key: 'digest|', sources: { a: text('a'), b: text('b') } }]);
  });

  test('follows sources that name others', async () => {
    const { ports: all, read } = ports({ names: { pipeline: ['a'], a: ['b'], b: ['c'] } });
    expect(await compileWithSources(manifest, found, all)).toMatchObject({ compilation: { pipeline } });
    expect(read).toEqual(['a', 'b', 'c']);
  });

  test('whose sources never end is given up', async () => {
    const names = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [i === 0 ? 'pipeline' : `s${i}`, [`s${i + 1}`]]),
    );
    const { ports: all, read } = ports({ names });
    const compiled = await compileWithSources(manifest, found, all);
    expect(compiled).toMatchObject({ compilation: { needs: [{}] } });
    expect(read.length).toBeLessThan(10);
  });
});

describe('what was found before', () => {
  const kept = { key: 'digest|', sources: { a: { text: 'old', digest: 'sha256:old' } } };

  test('is used again: a restart fetches nothing', async () => {
    const { ports: all, read, stored } = ports({ kept });
    expect(await compileWithSources(manifest, found, all)).toMatchObject({ digest: 'digest|a sha256:old' });
    expect({ read, stored }).toEqual({ read: [], stored: [] });
  });

  test.each<[what: string, change: object]>([
    ['another text', { digest: 'other' }],
    ['a request', { requestedAt: 'now' }],
  ])('is fetched anew with %s', async (_what, change) => {
    const { ports: all, read, stored } = ports({ kept });
    await compileWithSources({ ...manifest, ...change }, { ...found, ...change }, all);
    expect(read).toEqual(['a']);
    expect(stored).toMatchObject([{ sources: { a: text('a') } }]);
  });
});

describe('a source that is not there', () => {
  test('for now is no verdict on the text, and nothing is kept', async () => {
    const { ports: all, stored } = ports({
      answers: { a: { failure: 'it took too long', transient: true } },
    });
    expect(await compileWithSources(manifest, found, all)).toEqual({ unavailable: ['a: it took too long.'] });
    expect(stored).toEqual([]);
  });

  test('at all is told to the compiler, and asked for again next time', async () => {
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
