import { expect, test } from '@jest/globals';
import { graphOf } from '#domain/graph/graph-of.ts';
import { get, job, pipelineOf } from '#testing/pipelines/pipelines-to-draw.ts';
import { limitPreviews, MAX_PREVIEWS } from './preview-limits.ts';

const picture = {
  graph: graphOf(pipelineOf(job('unit', get('git.app')))),
  styles: new Map(),
  name: 'preview',
};

/** Limits previews that are not drawn until the test calls `releaseAll`. */
function heldPreviews() {
  const waiting: (() => void)[] = [];
  const previewsOf = limitPreviews({
    svg: () => new Promise((resolve) => waiting.push(() => resolve({ svg: 'drawn' }))),
  });
  return {
    drawFor: (team: string) => previewsOf(team).svg(picture),
    releaseAll: () => waiting.splice(0).forEach((release) => release()),
  };
}

test('while a preview is drawn, another one of its team is refused as busy, and one of another team is drawn', async () => {
  const { drawFor, releaseAll } = heldPreviews();
  const first = drawFor('greedy');
  const second = drawFor('greedy');
  const other = drawFor('good');
  releaseAll();
  expect(await Promise.all([first, second, other])).toEqual([
    { svg: 'drawn' },
    {
      refused: {
        reason: 'busy',
        message: 'another preview of the team greedy is being drawn: try again in a moment',
      },
    },
    { svg: 'drawn' },
  ]);
  const nextPreview = drawFor('greedy');
  releaseAll();
  expect(await nextPreview).toEqual({ svg: 'drawn' });
});

test('previews of all teams together have a limit', async () => {
  const { drawFor, releaseAll } = heldPreviews();
  const previews = Array.from({ length: MAX_PREVIEWS }, (_, index) => drawFor(`team-${index}`));
  const late = drawFor('late');
  releaseAll();
  expect(await late).toMatchObject({
    refused: { reason: 'busy', message: 'too many previews are being drawn at once: try again in a moment' },
  });
  await Promise.all(previews);
});

test('a preview that fails no longer counts', async () => {
  const previewsOf = limitPreviews({ svg: () => Promise.reject(new Error('of the test')) });
  for (let turn = 0; turn <= MAX_PREVIEWS; turn += 1)
    await expect(previewsOf('main').svg(picture)).rejects.toThrow('of the test');
});
