import { describe, expect, test } from '@jest/globals';
import { play } from '#testing/scheduling/play.ts';
import { HISTORIES } from './testdata/histories.ts';

describe.each(Object.entries(HISTORIES))('%s', (_subject, histories) => {
  test.each(Object.entries(histories))('%s', (_sentence, [pipeline, ...lines]) => {
    expect(play(pipeline, lines)).toEqual(lines);
  });
});
