import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { PictureVersions } from './picture-versions.ts';
import { REFRESH_MS } from './refresh.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Pictures, and how often each version of picture 1 was drawn. */
function open() {
  const versions = new Set<number | undefined>();
  const pictures: PictureVersions = new PictureVersions(() => versions.add(pictures.of(1)));
  return { pictures, versions };
}

test('a picture loads again once the server no longer caches the picture from before the change', () => {
  const { pictures } = open();
  pictures.changed(1);
  jest.advanceTimersByTime(REFRESH_MS - 1);
  expect(pictures.of(1)).toBeUndefined();
  jest.advanceTimersByTime(1);
  expect([pictures.of(1), pictures.of(2)]).toEqual([expect.any(Number), undefined]);
});

test('many changes load the picture twice: after the first and after the last change', () => {
  const { pictures, versions } = open();
  for (let times = 0; times < 10; times += 1) pictures.changed(1);
  jest.advanceTimersByTime(20 * REFRESH_MS);
  expect(versions.size).toBe(2);
});

test('a refused picture is hidden and requested a few more times, until it loads', () => {
  const { pictures } = open();
  const versions = new Set<number | undefined>();
  for (let times = 0; times < 10; times += 1) {
    pictures.failed(1);
    jest.advanceTimersByTime(200_000);
    versions.add(pictures.of(1));
  }
  expect([versions.size, pictures.isBroken(1)]).toEqual([5, true]);
  pictures.loaded(1);
  expect(pictures.isBroken(1)).toBe(false);
});
