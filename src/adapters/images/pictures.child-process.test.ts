import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { afterAll, describe, expect, test } from '@jest/globals';
import { assert, asyncProperty, string, tuple } from 'fast-check';
import sharp from 'sharp';
import { graphOf, type GraphOptions } from '#domain/graph/graph-of.ts';
import { nodeStyles, TONES } from '#domain/graph/node-style.ts';
import type { GraphState, JobState } from '#domain/graph/state.ts';
import { writeDot } from '#domain/graph/write-dot.ts';
import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import type { PictureToDraw } from '#flows/views/overview-ports.ts';
import { get, job, pipelineOf, put, samplePipeline } from '#testing/pipelines/pipelines-to-draw.ts';
import { childProcesses, nextChild } from '#testing/process/child-processes.ts';
import { createPictures } from './pictures.ts';

/** Slow machines take long to start processes. */
const PATIENT = { timeLimitMs: 300_000 };
const pictures = createPictures(PATIENT);
afterAll(() => pictures.close());

const noState: GraphState = { jobs: new Map(), resources: new Map() };

function requestOf(
  pipeline: Pipeline,
  state: GraphState = noState,
  options: GraphOptions = {},
): PictureToDraw {
  const graph = graphOf(pipeline, options);
  return { graph, styles: nodeStyles(graph, state), name: 'sample' };
}

async function svgOf(request: PictureToDraw): Promise<string> {
  const answer = await pictures.svg(request);
  if ('refused' in answer) throw new Error(answer.refused.message);
  return answer.svg;
}

async function pngOf(request: PictureToDraw): Promise<Uint8Array> {
  const answer = await pictures.png(request);
  if ('refused' in answer) throw new Error(answer.refused.message);
  return answer.png;
}

const stateWithJob = (name: string, state: JobState): GraphState => ({
  ...noState,
  jobs: new Map([[name, state]]),
});

/** Three jobs that get the same resource, and the job `deploy`, which waits for some of them. */
const deploys = (...passed: string[]): Pipeline =>
  pipelineOf(
    ...['build', 'build-docs', 'build-site'].map((name) => job(name, get('git.app'))),
    job('deploy', get('git.app', ...passed)),
  );

describe('an SVG picture', () => {
  test('shows every edge and every node, with its name and its state in words', async () => {
    const svg = await svgOf(
      requestOf(samplePipeline, stateWithJob('lint', { paused: false, ended: 'failed' })),
    );
    expect(svg.match(/<g id="n\d+"/g)).toHaveLength(20);
    expect(svg).toContain('<title>lint: failed</title>');
    expect(svg).toContain('>integration--linux-arm64</text>');
    expect(svg).toContain('<title>git.app that passed unit</title>');
    expect(svg.match(/stroke="none"/g)).toHaveLength(requestOf(samplePipeline).graph.edges.length);
  });

  test('draws edges to the group members that they belong to', async () => {
    const options = { hideIntermediates: true, groupParallel: true };
    const corner = 4;
    const rowsWithEdges = async (...passed: string[]): Promise<string[]> => {
      const svg = await svgOf(requestOf(deploys(...passed), noState, options));
      const rows = [
        ...svg.matchAll(/<title>(build[a-z-]*):[^<]*<\/title><path d="M([\d.]+),([\d.]+)h([\d.]+)/g),
      ];
      const rightEdge = Math.max(...rows.map(([, , x, , width]) => Number(x) + Number(width) + corner));
      const edgeStarts = [...svg.matchAll(/<path d="M([\d.]+),([\d.]+)C/g)].map(([, x, y]) => [
        Number(x),
        Number(y),
      ]);
      return edgeStarts
        .filter(([x = 0]) => x > rightEdge - 1)
        .map(([x = 0, y = 0]) => {
          const row = rows.find(([, , , top]) => Math.abs(Number(top) + 9 - y) < 1);
          return x > rightEdge + 1 ? 'the group' : (row?.[1] ?? 'no row');
        });
    };
    expect(await rowsWithEdges('build', 'build-docs', 'build-site')).toEqual(['the group']);
    expect(await rowsWithEdges('build-docs')).toEqual(['build-docs']);
    expect(await rowsWithEdges('build', 'build-site')).toEqual(['build', 'build-site']);
  });

  test('has a title and a description for screen readers', async () => {
    const svg = await svgOf(requestOf(pipelineOf(job('a', get('git.app')), job('b', get('git.app')))));
    expect(svg).toContain('role="img" aria-label="Pipeline sample"');
    expect(svg).toContain(
      '<title>Pipeline sample</title>\n<desc>2 jobs. a: not yet run; b: not yet run</desc>',
    );
  });

  test('lists unconnected parts and parallel jobs from top to bottom in the order of the file', async () => {
    const names = ['first', 'second', 'third', 'fourth', 'fifth'];
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = names;
    const jobs = [
      job(first, get('git.a')),
      job(second, get('git.a')),
      job(third, get('git.a')),
      job(fourth, get('git.b')),
      job(fifth),
    ];
    const svg = await svgOf(requestOf(pipelineOf(...jobs)));
    const heights = names.map((name) => Number(new RegExp(`y="([\\d.]+)"[^>]*>${name}<`).exec(svg)?.[1]));
    expect(heights).toEqual([...new Set(heights)].toSorted((a, b) => a - b));
  });

  test('changes only its colours when only states change', async () => {
    const before = await svgOf(requestOf(samplePipeline));
    const after = await svgOf(requestOf(samplePipeline, stateWithJob('lint', { paused: true })));
    const { idle, paused } = TONES;
    expect(after).toContain(`fill="${paused.fill}" stroke="${paused.border}"`);
    expect(
      after
        .replaceAll('lint: paused', 'lint: not yet run')
        .replace('class="paused"', 'class="idle"')
        .replace(
          `fill="${paused.fill}" stroke="${paused.border}"`,
          `fill="${idle.fill}" stroke="${idle.border}"`,
        ),
    ).toBe(before);
  });

  test('fades everything outside the path of a version', async () => {
    const whole = graphOf(samplePipeline);
    const styles = nodeStyles(whole, noState, { whole, resource: 'git.config' });
    const svg = await svgOf({ graph: whole, styles, name: 'sample' });
    const faded = whole.nodes.filter(({ id }) => styles.get(id)?.faded === true);
    expect(svg.match(/<g id="n\d+" class="[a-z-]+" opacity="0.35">/g)).toHaveLength(faded.length);
  });

  test('has no references to the outside, for any names', async () => {
    const hostile = pipelineOf(
      job('"><script>alert(1)</script>', get('a"b.x]]>')),
      job('\'/><image href="http://198.18.0.1/"/>', get('a"b.x]]>', '"><script>alert(1)</script>')),
    );
    const svg = await svgOf({ ...requestOf(hostile), name: '</title><a href="javascript:0">' });
    expect(svg).not.toMatch(/<(script|a|image|use|foreignObject|iframe)\b/);
    const markup = svg.replaceAll(/>[^<]*</g, '><').replaceAll(/"[^"]*"/g, '""');
    expect(markup).not.toMatch(/href|url\(|javascript|\son[a-z]+=/i);
  });

  test('is well-formed XML, and its DOT text is valid, for any names', async () => {
    const graphviz = await Graphviz.load();
    const name = string({ unit: 'binary', minLength: 1, maxLength: 12 });
    await assert(
      asyncProperty(tuple(name, name, name), async ([a, b, resource]) => {
        const request = requestOf(
          pipelineOf(job(`1${a}`, get(resource)), job(`2${b}`, get(resource, `1${a}`), put('x'))),
        );
        const svg = await svgOf(request);
        const { width } = await sharp(Buffer.from(svg)).metadata();
        expect(width).toBeGreaterThan(0);
        const drawn: { objects: unknown[]; edges: unknown[] } = JSON.parse(
          graphviz.dot(writeDot(request.graph, a, request.styles), 'json'),
        );
        expect([drawn.objects.length, drawn.edges.length]).toEqual([
          request.graph.nodes.length,
          request.graph.edges.length,
        ]);
      }),
      { numRuns: 30 },
    );
  });
});

/** Counts the pixels that have about this colour. */
async function countPixels(png: Uint8Array, colour: string): Promise<number> {
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) =>
    Number.parseInt(colour.slice(start, start + 2), 16),
  );
  let count = 0;
  for (let pixel = 0; pixel < data.length; pixel += info.channels) {
    const differs = (channel: number, expected: number): boolean =>
      Math.abs((data[pixel + channel] ?? 0) - expected) > 12;
    if (!differs(0, red) && !differs(1, green) && !differs(2, blue)) count++;
  }
  return count;
}

/** Counts the dark pixels in the picture of a job. */
const countInkPixels = async (name: string): Promise<number> =>
  countPixels(await pngOf(requestOf(pipelineOf(job(name)))), TONES.idle.ink);

/** Jobs with the same upstream jobs. */
const fortyJobs = (name: string, ...passed: string[]): Job[] =>
  Array.from({ length: 40 }, (_, index) => job(`${name}${index}`, get('git.app', ...passed)));

describe('a PNG picture', () => {
  test('draws letters: dark pixels at the names, more of them for longer names', async () => {
    const [short, long] = [await countInkPixels('lint'), await countInkPixels('lint-lint-lint')];
    expect(short).toBeGreaterThan(50);
    expect(long).toBeGreaterThan(2 * short);
  });

  test('shows the rows of a compact node above its frame', async () => {
    const pipeline = pipelineOf(job('a'), job('b', get('git.app', 'a')), job('c', get('git.app', 'a')));
    const png = await pngOf(requestOf(pipeline, noState, { hideIntermediates: true, groupParallel: true }));
    const alone = await pngOf(requestOf(pipelineOf(job('a'))));
    const { fill } = TONES.idle;
    expect(await countPixels(png, fill)).toBeGreaterThan(1.5 * (await countPixels(alone, fill)));
  });

  test('draws letters outside the usual table', async () => {
    expect(await countInkPixels('Größe')).toBeGreaterThan(await countInkPixels('Gr'));
  });

  test('has the colours of the states on a transparent background', async () => {
    const state: GraphState = {
      jobs: new Map<string, JobState>([
        ['a', { paused: true }],
        ['b', { paused: false, ended: 'failed' }],
      ]),
      resources: new Map([['git.config', { pinned: true, failing: false }]]),
    };
    const png = await pngOf(requestOf(pipelineOf(job('a', get('git.config')), job('b')), state));
    for (const colour of [TONES.paused.fill, TONES.failed.fill, '#ffbf00']) {
      expect(await countPixels(png, colour)).toBeGreaterThan(100);
    }
    const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
    expect(info.channels).toBe(4);
    expect([...data.subarray(0, 4)]).toEqual([0, 0, 0, 0]);
  });

  test('of a very long graph has sides that viewers can show', async () => {
    const chain = Array.from({ length: 150 }, (_, index) =>
      job(`j${index}`, index === 0 ? get('git.app') : get('git.app', `j${index - 1}`)),
    );
    const { width, height } = await sharp(await pngOf(requestOf(pipelineOf(...chain)))).metadata();
    expect([width > 15_000, width <= 16_000, height > 0]).toEqual([true, true, true]);
  });

  test.each([
    [
      'a chain of 1,000 jobs',
      (index: number) => (index === 0 ? get('git.app') : get('git.app', `j${index - 1}`)),
    ],
    ['1,000 unconnected jobs', (index: number) => get(`git.app${index}`)],
  ])('of %s is refused, because its text would not be legible', async (_, getStep) => {
    const jobs = Array.from({ length: 1000 }, (__, index) => job(`j${index}`, getStep(index)));
    expect(await pictures.png(requestOf(pipelineOf(...jobs)))).toEqual({
      refused: {
        reason: 'too-large',
        message: expect.stringMatching(/^the picture is \d+ by \d+ points, .* Draw an SVG/),
      },
    });
  });

  test('of a graph whose lines cross thousands of times is drawn in time', async () => {
    const before = fortyJobs('a');
    const pipeline = pipelineOf(...before, ...fortyJobs('b', ...before.map(({ name }) => name)));
    expect((await pngOf(requestOf(pipeline))).length).toBeGreaterThan(10_000);
  });

  test('has at most the allowed number of pixels, for any graph, and no metadata', async () => {
    const jobs = Array.from({ length: 200 }, (_, index) => job(`service-${index}`, get('git.app')));
    const { width, height, ...others } = await sharp(await pngOf(requestOf(pipelineOf(...jobs)))).metadata();
    expect(width * height).toBeGreaterThan(1_000_000);
    expect(width * height).toBeLessThan(3_300_000);
    expect(others.comments).toBeUndefined();
    expect(others.exif).toBeUndefined();
  });
});

describe('the layout process', () => {
  /** Each job follows all jobs before it: Graphviz needs minutes. */
  const endless = pipelineOf(
    ...Array.from({ length: 90 }, (_, index) =>
      job(`j${index}`, ...Array.from({ length: index }, (__, before) => get('git.app', `j${before}`))),
    ),
  );

  test('is ended when a layout takes too long, and another process does the next one', async () => {
    const impatient = createPictures({ timeLimitMs: 15_000 });
    const answers = await Promise.all([
      impatient.svg(requestOf(endless, noState, { hideIntermediates: true })),
      impatient.svg(requestOf(samplePipeline)),
    ]);
    await impatient.close();
    expect(answers).toEqual([
      { refused: { reason: 'time-limit', message: expect.stringContaining('longer than 15 s') } },
      { svg: expect.stringContaining('<svg') },
    ]);
  });

  test('loses only its own picture when it dies', async () => {
    const before = childProcesses();
    const fragile = createPictures(PATIENT);
    const broken = fragile.svg(requestOf(endless, noState, { hideIntermediates: true }));
    const next = fragile.svg(requestOf(samplePipeline));
    process.kill(await nextChild(before), 'SIGSEGV');
    const answers = await Promise.all([broken, next]);
    await fragile.close();
    expect(answers).toEqual([
      { refused: { reason: 'fault', message: 'drawing failed: it ended with SIGSEGV' } },
      { svg: expect.stringContaining('<svg') },
    ]);
  });

  test('refuses pending and later requests after it is closed', async () => {
    const closing = createPictures();
    const waiting = closing.svg(requestOf(samplePipeline));
    await closing.close();
    const refused = { refused: { reason: 'fault', message: 'the drawing was ended' } };
    expect([await waiting, await closing.svg(requestOf(samplePipeline))]).toEqual([refused, refused]);
  });
});
