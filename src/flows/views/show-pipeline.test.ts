import { describe, expect, test } from '@jest/globals';
import { get, job, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import type { OverviewState, PictureToDraw } from './overview-ports.ts';
import { showPipelines, type PictureOptions } from './show-pipeline.ts';

const APP = { team: 'main', pipeline: 'app' };
const SVG: PictureOptions = { format: 'svg', hideIntermediates: false, groupParallel: false };

function shows({ isPublic = true } = {}) {
  const asked: string[] = [];
  const drawn: PictureToDraw[] = [];
  let now = 0;
  const pipeline = { ...APP, id: 1, public: isPublic, paused: false, revision: 7 };
  const state: OverviewState = { jobs: [{ id: 2, name: 'unit', paused: false, doing: [] }], resources: [] };
  const draw = async (picture: PictureToDraw): Promise<PictureToDraw> => {
    drawn.push(picture);
    await new Promise(setImmediate);
    return picture;
  };
  const all = showPipelines({
    store: {
      async pipeline({ pipeline: name }) {
        asked.push('shown');
        return name === 'app' ? { ...pipeline } : undefined;
      },
      async state() {
        asked.push('state');
        return structuredClone(state);
      },
      definition: async () => samplePipeline({ jobs: [job('unit', get('git.app'))] }),
      resourceOfVersion: async (_pipeline, version) => (version === 11 ? 'git.app' : undefined),
    },
    drawing: {
      async layout(graph) {
        asked.push('layout');
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
  const find = async (wanted: Partial<PictureOptions> = {}) => {
    const found = await all.picture(APP, false, { ...SVG, ...wanted });
    if (found === undefined || found === 'no-version') throw new Error('there is no picture');
    return found;
  };
  return { all, asked, drawn, pipeline, state, find, later: () => (now += 1000) };
}

describe('pictures', () => {
  test('many viewers at once cost one query and one drawing', async () => {
    const { asked, drawn, find } = shows();
    const styles = Array.from({ length: 50 }, async () => await (await find()).draw());
    const all = await Promise.all(styles);
    expect(new Set(all).size).toBe(1);
    expect([asked, drawn.length]).toEqual([['shown', 'state'], 1]);
  });

  test('a picture has a tag before it is drawn', async () => {
    const { drawn, find } = shows();
    expect((await find()).tag).toBe((await find()).tag);
    expect(drawn).toEqual([]);
  });

  test('every input of a picture changes its tag', async () => {
    const { state, pipeline, find, later } = shows();
    const tags = [
      (await find()).tag,
      (await find({ format: 'png' })).tag,
      (await find({ hideIntermediates: true })).tag,
      (await find({ groupParallel: true })).tag,
      (await find({ version: 11 })).tag,
    ];
    state.jobs[0] = { id: 2, name: 'unit', paused: false, ended: 'failed', doing: [] };
    later();
    tags.push((await find()).tag);
    pipeline.revision = 8;
    later();
    tags.push((await find()).tag);
    expect(new Set(tags).size).toBe(7);
  });

  test('a change of states does not change the graph, so its layout stays cached', async () => {
    const { state, drawn, find, later } = shows();
    await (await find()).draw();
    state.jobs[0] = { id: 2, name: 'unit', paused: true, doing: [] };
    later();
    await (await find()).draw();
    expect(drawn[1]?.graph).toBe(drawn[0]?.graph);
    expect(drawn.map(({ styles }) => styles.get('job unit')?.tone)).toEqual(['idle', 'paused']);
  });

  test('there is no picture for a version of another pipeline', async () => {
    expect(await shows().all.picture(APP, false, { ...SVG, version: 12 })).toBe('no-version');
  });
});

describe('a graph with its layout', () => {
  const WHOLE = { hideIntermediates: false, groupParallel: false };

  test('its tag depends on the definition and the shape, not on states, and costs no layout', async () => {
    const { all, state, pipeline, asked, later } = shows();
    const tag = async (shape = {}) => (await all.placedGraph(APP, false, { ...WHOLE, ...shape }))?.tag;
    const first = await tag();
    state.jobs[0] = { id: 2, name: 'unit', paused: true, doing: [] };
    later();
    expect(await tag()).toBe(first);
    pipeline.revision = 8;
    later();
    const others = [await tag(), await tag({ hideIntermediates: true }), await tag({ groupParallel: true })];
    expect(new Set([first, ...others]).size).toBe(4);
    expect(asked).not.toContain('state');
    expect(asked).not.toContain('layout');
  });

  test('is the graph of the picture', async () => {
    const { all, drawn, find } = shows();
    await (await find()).draw();
    const found = await (await all.placedGraph(APP, false, WHOLE))?.place();
    expect(found).toEqual({ graph: drawn[0]?.graph, layout: expect.objectContaining({ width: 2 }) });
  });

  test('the public gets none of a private pipeline', async () => {
    expect(await shows({ isPublic: false }).all.placedGraph(APP, false, WHOLE)).toBeUndefined();
  });
});

const cachedImages = ({ all }: ReturnType<typeof shows>, wanted: Partial<PictureOptions> = {}) =>
  all.cachedPicture(APP, { ...SVG, ...wanted });

describe('a cached picture', () => {
  test('a cached picture is the one that somebody has just seen', async () => {
    const about = shows();
    expect(cachedImages(about)).toBeUndefined();
    const found = await about.find();
    expect(cachedImages(about)).toBeUndefined();
    const drawn = await found.draw();
    expect(cachedImages(about)).toEqual({ tag: found.tag, ...drawn });
    const others = [{ format: 'png' }, { hideIntermediates: true }, { groupParallel: true }] as const;
    expect(others.map((other) => cachedImages(about, other))).toEqual(others.map(() => undefined));
    expect(about.asked).toEqual(['shown', 'state']);
  });

  test('pictures for a version are not cached', async () => {
    const about = shows();
    await (await about.find({ version: 11 })).draw();
    expect(cachedImages(about, { version: 11 })).toBeUndefined();
  });

  test('a cached picture is gone a second after its pipeline was read', async () => {
    const about = shows();
    await (await about.find()).draw();
    about.later();
    expect(cachedImages(about)).toBeUndefined();
  });

  test('the public gets no cached picture of a private pipeline, even after a member saw it', async () => {
    const about = shows({ isPublic: false });
    const found = await about.all.picture(APP, true, SVG);
    if (found === undefined || found === 'no-version') throw new Error('A member has no picture.');
    await found.draw();
    expect(cachedImages(about)).toBeUndefined();
  });

  test('a cached picture has the name of its own team and pipeline, whatever letters they have', async () => {
    const { all, find } = shows();
    await (await find()).draw();
    for (const [team, pipeline] of [
      ['mainapp', ''],
      ['', 'mainapp'],
      ['mai', 'napp'],
    ] as const)
      expect(all.cachedPicture({ team, pipeline }, SVG)).toBeUndefined();
  });
});

describe('who may see a pipeline', () => {
  test.each([
    ['a stranger at a public pipeline', true, false, true],
    ['a stranger at another', false, false, false],
    ['a member at another', false, true, true],
  ])('%s', async (_, isPublic, member, may) => {
    const { all } = shows({ isPublic });
    expect((await all.picture(APP, member, SVG)) !== undefined).toBe(may);
    expect((await all.overview(APP, member)) !== undefined).toBe(may);
    expect((await all.badge(APP, member)) !== undefined).toBe(may);
  });

  test('the public costs one query and no state, whether there is a pipeline or not', async () => {
    const { all, asked } = shows({ isPublic: false });
    await all.picture(APP, false, SVG);
    await all.picture({ ...APP, pipeline: 'none' }, false, SVG);
    expect(asked).toEqual(['shown', 'shown']);
  });

  test('a pipeline that is no longer public is hidden a second later', async () => {
    const { all, pipeline, later } = shows();
    await all.badge(APP, false);
    pipeline.public = false;
    later();
    expect(await all.badge(APP, false)).toBeUndefined();
  });
});
