import { afterAll, describe, expect, test } from '@jest/globals';
import { createCompiler } from '#adapters/hcl/compile.ts';
import { expectedLines, JOBS, PIPELINES, pipelineText } from './pipelines.ts';

const ADDRESS = { host: '198.18.0.1', port: 4711 };
const compiler = createCompiler();
afterAll(() => compiler.close());

describe.each(PIPELINES)('the text of %s', (pipeline) => {
  test.each([true, false])('is a valid pipeline (resting: %s)', async (resting) => {
    const text = pipelineText(pipeline, ADDRESS, { edition: 3, resting });
    const compiled = await compiler.compile(text, {});
    expect(compiled.diagnostics).toEqual([]);
    expect(compiled.pipeline?.jobs.map(({ name }) => name)).toEqual(
      JOBS.filter((job) => job.pipeline === pipeline).map(({ job }) => job),
    );
    expect((compiled.pipeline?.resources ?? []).some(({ schedule }) => schedule !== undefined)).toBe(
      !resting && ['chain', 'minutely', 'pausable'].includes(pipeline),
    );
  });

  test('differs between editions', () => {
    const [one, two] = [1, 2].map((edition) => pipelineText(pipeline, ADDRESS, { edition }));
    expect(one).not.toBe(two);
  });
});

test('a step that fails does not print that it has ended', () => {
  expect(expectedLines({ name: 'a', lines: 1 }, 'x')).toEqual(['a began x', 'a line 1', 'a ended']);
  expect(expectedLines({ name: 'a', lines: 1, exit: 7 }, 'x')).toEqual(['a began x', 'a line 1']);
});
