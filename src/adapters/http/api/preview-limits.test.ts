import { expect, test } from '@jest/globals';
import { graphOf } from '#domain/graph/graph-of.ts';
import { get, job, pipelineOf } from '#testing/pipelines/pipelines-to-draw.ts';
import { limitPreviews, MAX_PREVIEWS } from './preview-limits.ts';

const picture = {
  graph: graphOf(pipelineOf(job('unit', get('git.app')))),
  styles: new Map(),
  name: 'preview',
};

/** Draws no preview until the test releases it. */
function held() {
  const waiting: (() => void)[] = [];
  const previewsOf = limitPreviews({
    svg: () => new Promise((resolve) => waiting.push(() => resolve({ svg: 'drawn' }))),
  });
  return {
    ask: (team: string) => previewsOf(team).svg(picture),
    letGo: () => waiting.splice(0).forEach((go) => go()),
  };
}

test("while a preview of a team is drawn, its second one is refused as busy and another team's is drawn", async () => {
  const { ask, letGo } = held();
  const first = ask('greedy');
  const second = ask('greedy');
  const other = ask('good');
  letGo();
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
  const again = ask('greedy');
  letGo();
  expect(await again).toEqual({ svg: 'drawn' });
});

test('previews of all teams together have a limit', async () => {
  const { ask, letGo } = held();
  const many = Array.from({ length: MAX_PREVIEWS }, (_, one) => ask(`team-${one}`));
  const late = ask('late');
  letGo();
  expect(await late).toMatchObject({
    refused: { reason: 'busy', message: 'too many previews are being drawn at once: try again in a moment' },
  });
  await Promise.all(many);
});

test('a preview that fails no longer counts', async () => {
  const previewsOf = limitPreviews({ svg: () => Promise.reject(new Error('of the test')) });
  for (let turn = 0; turn <= MAX_PREVIEWS; turn += 1)
    await expect(previewsOf('main').svg(picture)).rejects.toThrow('of the test');
});
