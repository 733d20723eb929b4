import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { links, pages, ROOT } from './markdown.ts';

/*
 * The pictures of README and docs. A test makes each of them, so nobody has to guess what a picture shows or
 * how to make it again.
 */
const FOLDER = 'docs/images';
const MAX_BYTES = 200_000;
/** Tests that make pictures: with `PICTURES=docs/images`, or as golden files. */
const MAKERS = ['e2e/console.test.ts', 'src/cli/everything.child-process.test.ts'];

const files = readdirSync(join(ROOT, FOLDER)).toSorted();

/** The files that the source of a test names. */
function picturesMadeBy(source: string): string[] {
  const pictures = [...source.matchAll(/takePicture\('([\w-]+)'\)/g)];
  const golden = [...source.matchAll(/'docs\/images\/([\w.-]+)'/g)];
  return [
    ...pictures.flatMap(([, name = '']) => [`${name}-light.png`, `${name}-dark.png`]),
    ...golden.map(([, name = '']) => name),
  ];
}

test('a test makes each picture, and each picture that a test makes is there', () => {
  const made = MAKERS.flatMap((maker) => picturesMadeBy(readFileSync(join(ROOT, maker), 'utf8')));
  expect([...new Set(made)].toSorted()).toEqual(files);
});

test('pages show each picture, and no other', () => {
  const shown = pages().flatMap(({ path, text }) =>
    links(text)
      .map((target) => join(dirname(path), target))
      .filter((target) => target.startsWith(`${FOLDER}/`))
      .map((target) => target.slice(FOLDER.length + 1)),
  );
  expect([...new Set(shown)].toSorted()).toEqual(files);
});

test('a picture for light mode has the same picture for dark mode beside it', () => {
  for (const { text } of pages()) {
    const light = [...text.matchAll(/\bsrc="([^"\s]+)-light\.png"/g)].map(([, name]) => name);
    const dark = [...text.matchAll(/\bsrcset="([^"\s]+)-dark\.png"/g)].map(([, name]) => name);
    expect(light).toEqual(dark);
  }
});

test('no picture is larger than 200 kB', () => {
  expect(files.filter((file) => statSync(join(ROOT, FOLDER, file)).size > MAX_BYTES)).toEqual([]);
});
