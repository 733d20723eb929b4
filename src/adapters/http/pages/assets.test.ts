import { expect, test } from '@jest/globals';
import { assetUrl, findAsset, readAssets } from './assets.ts';

const assets = readAssets();
const fileOf = (name: 'styles.css' | 'live.js'): string => assetUrl(name).replace('/assets/', '');

test.each(['styles.css', 'live.js'] as const)('%s is found at its address', (name) => {
  expect(fileOf(name)).toMatch(/-[\w-]{8}\.(css|js)$/);
  expect(findAsset(assets, fileOf(name))?.file).toBe(fileOf(name));
});

test('a page of another release gets the file of this release', () => {
  expect(findAsset(assets, 'live-AAAA_-aa.js')?.file).toBe(fileOf('live.js'));
});

test.each(['assets.json', 'live.js', 'other-AAAAAAAA.js', '../millrace.js', ''])(
  '%j is not found',
  (file) => {
    expect(findAsset(assets, file)).toBeUndefined();
  },
);
