import { expect, test } from '@jest/globals';
import { whyManaged } from './why-managed.ts';

test('people can change only what the manifest does not set', () => {
  expect(whyManaged(false)).toBeUndefined();
  expect(whyManaged(true)).toMatchObject({ code: 'ManagedByManifest' });
});
