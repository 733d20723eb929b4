import { expect, test } from '@jest/globals';
import { withArticle } from './with-article.ts';

test.each([
  'a git resource',
  'a mysql service',
  'a hostcheck resource',
  'a user',
  'an email notification',
  'an artifact resource',
  'an http resource',
  'an fs resource',
  'an s3 resource',
  'an updater',
  'an ssh-key resource',
  'an npm-package resource',
  'a git-mirror resource',
])('the article is right in: %s', (text) => {
  expect(withArticle(text.replace(/^an? /, ''))).toBe(text);
});
