import { expect, test } from '@jest/globals';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { refusedTags } from './refused-tags.ts';

const resource = (label: string, type: string, tags: string[]) => ({
  name: `${type}.${label}`,
  type,
  label,
  params: {},
  tags,
  cache: false,
});
const job = (name: string, tags?: string[]) => ({ name, steps: [], ...(tags === undefined ? {} : { tags }) });
const pipeline: Pipeline = {
  resourceTypes: [
    { name: 'git', builtIn: true, params: [], cache: false, check: { runner: 'shell', cmd: 'true' } },
    { name: 'cron', builtIn: true, params: [], cache: false },
  ],
  resources: [
    resource('app', 'git', ['gpu']),
    resource('docs', 'git', ['gpu']),
    resource('site', 'git', []),
    resource('night', 'cron', ['gpu']),
  ],
  jobs: [job('train', ['gpu']), job('unit'), job('arm', ['arm64'])],
};
const refused = (allowedTags?: string[]): string[] =>
  refusedTags(
    pipeline,
    { name: 'blue', workers: [], ...(allowedTags === undefined ? {} : { allowedTags }) },
    (tag) => tag,
  ).map(({ reason, message }) => `${reason} ${message}`);

test('each job and check group whose tags the Team refuses is reported, but no clock, since it needs no Pod', () => {
  const why = 'Team blue does not allow the tag gpu; its spec.allowedTags has arm64.';
  expect(refused(['arm64'])).toEqual([
    `TagNotAllowed job train: ${why}`,
    `TagNotAllowed check of git.app and git.docs: ${why}`,
  ]);
});

test('a Team without spec.allowedTags refuses no tag', () => {
  expect(refused()).toEqual([]);
});
