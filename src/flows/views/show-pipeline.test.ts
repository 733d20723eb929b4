import { describe, expect, test } from '@jest/globals';
import { get, job, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import type { OverviewState, PictureToDraw } from './overview-ports.ts';
import { showPipelines, type PictureOptions } from './show-pipeline.ts';

const APP = { team: 'main', pipeline: 'app' };
const SVG: PictureOptions = { format: 'svg', hideIntermediates: false, groupParallel: false };

function setUp({ isPublic = true } = {}) {
  const queries: string[] = [];
  const drawn: PictureToDraw[] = [];
  let now = 0;
  const pipeline = { ...APP, id: 1, public: isPublic, paused: false, revision: 7 };
  const state: OverviewState = { jobs: [{ id: 2, name: 'unit', paused: false, doing: [] }], resources: [] };
  const draw = async (picture: PictureToDraw): Promise<PictureToDraw> => {
    drawn.push(picture);
    await new Promise(setImmediate);
    return picture;
  };
  const overviews = showPipelines({
    store: {
      async pipeline({ pipeline: name }) {
        queries.push('shown');
        return name === 'app' ? { ...pipeline } : undefined;
      },
      async state() {
        queries.push('state');
        return structuredClone(state);
      },
      definition: async () => samplePipeline({ jobs: [job('unit', get('git.app'))] }),
      resourceOfVersion: async (_pipeline, version) => (version === 11 ? 'git.app' : undefined),
    },
    drawing: {
      async layout(graph) {
        queries.push('layout');
        return { layout: { width: graph.nodes.length, height: 1, nodes: [], edges: [] } };
      },
      svg: async (picture) => ({ svg: `${(await draw(picture)).graph.nodes.length} nodes` }),
      png: async (picture) => ({ png: Buffer.from((await draw(picture)).name) }),
    },
    digest: (text) => text,
    encode: (text) => Buffer.from(text),
    now: () => now,
    release: '1',
  });
  const findPicture = async (options: Partial<PictureOptions> = {}) => {
    const picture = await overviews.picture(APP, false, { ...SVG, ...options });
    if (picture === undefined || picture === 'no-version') throw new Error('there is no picture');
    return picture;
  };
  return { overviews, queries, drawn, pipeline, state, findPicture, passSecond: () => (now += 1000) };
}

describe('pictures', () => {
  test('many viewers at once cost one query and one drawing', async () => {
    const { queries, drawn, findPicture } = setUp();
    const drawings = Array.from({ length: 50 }, async () => await (await findPicture()).draw());
    expect(new Set(await Promise.all(drawings)).size).toBe(1);
    expect([queries, drawn.length]).toEqual([['shown', 'state'], 1]);
  });

  test('a picture has a tag before it is drawn', async () => {
    const { drawn, findPicture } = setUp();
    expect((await findPicture()).tag).toBe((await findPicture()).tag);
    expect(drawn).toEqual([]);
  });

  test('every input of a picture changes its tag', async () => {
    const { state, pipeline, findPicture, passSecond } = setUp();
    const tags = [
      (await findPicture()).tag,
      (await findPicture({ format: 'png' })).tag,
      (await findPicture({ hideIntermediates: true })).tag,
      (await findPicture({ groupParallel: true })).tag,
      (await findPicture({ version: 11 })).tag,
    ];
    state.jobs[0] = { id: 2, name: 'unit', paused: false, ended: 'failed', doing: [] };
    passSecond();
    tags.push((await findPicture()).tag);
    pipeline.revision = 8;
    passSecond();
    tags.push((await findPicture()).tag);
    expect(new Set(tags).size).toBe(7);
  });

  test('a change of states does not change the graph, so its layout stays cached', async () => {
    const { state, drawn, findPicture, passSecond } = setUp();
    await (await findPicture()).draw();
    state.jobs[0] = { id: 2, name: 'unit', paused: true, doing: [] };
    passSecond();
    await (await findPicture()).draw();
    expect(drawn[1]?.graph).toBe(drawn[0]?.graph);
    expect(drawn.map(({ styles }) => styles.get('job unit')?.tone)).toEqual(['idle', 'paused']);
  });

  test('there is no picture for a version of another pipeline', async () => {
    expect(await setUp().overviews.picture(APP, false, { ...SVG, version: 12 })).toBe('no-version');
  });
});

describe('a graph with its layout', () => {
  const WHOLE = { hideIntermediates: false, groupParallel: false };

  test('has a tag that depends on the definition and the shape, not on states, and needs no layout', async () => {
    const { overviews, state, pipeline, queries, passSecond } = setUp();
    const tag = async (shape = {}) => (await overviews.placedGraph(APP, false, { ...WHOLE, ...shape }))?.tag;
    const first = await tag();
    state.jobs[0] = { id: 2, name: 'unit', paused: true, doing: [] };
    passSecond();
    expect(await tag()).toBe(first);
    pipeline.revision = 8;
    passSecond();
    const others = [await tag(), await tag({ hideIntermediates: true }), await tag({ groupParallel: true })];
    expect(new Set([first, ...others]).size).toBe(4);
    expect(queries).not.toContain('state');
    expect(queries).not.toContain('layout');
  });

  test('has the graph of the picture', async () => {
    const { overviews, drawn, findPicture } = setUp();
    await (await findPicture()).draw();
    const picture = await (await overviews.placedGraph(APP, false, WHOLE))?.place();
    expect(picture).toEqual({ graph: drawn[0]?.graph, layout: expect.objectContaining({ width: 2 }) });
  });

  test('is not shown to the public for a private pipeline', async () => {
    expect(await setUp({ isPublic: false }).overviews.placedGraph(APP, false, WHOLE)).toBeUndefined();
  });
});

const cachedPicture = ({ overviews }: ReturnType<typeof setUp>, options: Partial<PictureOptions> = {}) =>
  overviews.cachedPicture(APP, { ...SVG, ...options });

describe('a cached picture', () => {
  test('a picture is cached once it was drawn, and only in that format and shape', async () => {
    const base = setUp();
    expect(cachedPicture(base)).toBeUndefined();
    const picture = await base.findPicture();
    expect(cachedPicture(base)).toBeUndefined();
    const drawn = await picture.draw();
    expect(cachedPicture(base)).toEqual({ tag: picture.tag, ...drawn });
    const others = [{ format: 'png' }, { hideIntermediates: true }, { groupParallel: true }] as const;
    expect(others.map((other) => cachedPicture(base, other))).toEqual(others.map(() => undefined));
    expect(base.queries).toEqual(['shown', 'state']);
  });

  test('pictures for a version are not cached', async () => {
    const base = setUp();
    await (await base.findPicture({ version: 11 })).draw();
    expect(cachedPicture(base, { version: 11 })).toBeUndefined();
  });

  test('a cached picture is gone a second after its pipeline was read', async () => {
    const base = setUp();
    await (await base.findPicture()).draw();
    base.passSecond();
    expect(cachedPicture(base)).toBeUndefined();
  });

  test('the public gets no cached picture of a private pipeline, even after a member saw it', async () => {
    const base = setUp({ isPublic: false });
    const picture = await base.overviews.picture(APP, true, SVG);
    if (picture === undefined || picture === 'no-version') throw new Error('A member has no picture.');
    await picture.draw();
    expect(cachedPicture(base)).toBeUndefined();
  });

  test('a cached picture has the name of its own team and pipeline, whatever letters they have', async () => {
    const { overviews, findPicture } = setUp();
    await (await findPicture()).draw();
    for (const [team, pipeline] of [
      ['mainapp', ''],
      ['', 'mainapp'],
      ['mai', 'napp'],
    ] as const)
      expect(overviews.cachedPicture({ team, pipeline }, SVG)).toBeUndefined();
  });
});

describe('who may see a pipeline', () => {
  test.each([
    ['the public may see a public pipeline', true, false, true],
    ['the public may not see a private pipeline', false, false, false],
    ['a member may see a private pipeline', false, true, true],
  ])('%s', async (_, isPublic, isMember, isVisible) => {
    const { overviews } = setUp({ isPublic });
    expect((await overviews.picture(APP, isMember, SVG)) !== undefined).toBe(isVisible);
    expect((await overviews.overview(APP, isMember)) !== undefined).toBe(isVisible);
    expect((await overviews.badge(APP, isMember)) !== undefined).toBe(isVisible);
  });

  test('a request of the public costs one query and no state, whether or not the pipeline exists', async () => {
    const { overviews, queries } = setUp({ isPublic: false });
    await overviews.picture(APP, false, SVG);
    await overviews.picture({ ...APP, pipeline: 'none' }, false, SVG);
    expect(queries).toEqual(['shown', 'shown']);
  });

  test('a pipeline that is no longer public is hidden a second later', async () => {
    const { overviews, pipeline, passSecond } = setUp();
    await overviews.badge(APP, false);
    pipeline.public = false;
    passSecond();
    expect(await overviews.badge(APP, false)).toBeUndefined();
  });
});
