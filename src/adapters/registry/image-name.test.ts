import { expect, test } from '@jest/globals';
import { isLoopbackRegistry, readImageName } from './image-name.ts';

const digest = `sha256:${'0'.repeat(64)}`;

const names: Record<string, object> = {
  alpine: { host: 'registry-1.docker.io', domain: 'docker.io', repository: 'library/alpine', tag: 'latest' },
  'team/tool:1': { host: 'registry-1.docker.io', domain: 'docker.io', repository: 'team/tool', tag: '1' },
  'index.docker.io/alpine': {
    host: 'registry-1.docker.io',
    domain: 'docker.io',
    repository: 'library/alpine',
  },
  'docker.io/a/b/c:2': { host: 'registry-1.docker.io', repository: 'a/b/c', tag: '2' },
  'registry.example/tool': { host: 'registry.example', domain: 'registry.example', repository: 'tool' },
  'registry.example:5000/a/tool:v1': { host: 'registry.example:5000', repository: 'a/tool', tag: 'v1' },
  'localhost/tool:1': { host: 'localhost', repository: 'tool', tag: '1' },
  'localhost:5000/tool': { host: 'localhost:5000', repository: 'tool' },
  'Upper/tool': { host: 'Upper', repository: 'tool' },
  [`registry.example/tool@${digest}`]: { host: 'registry.example', repository: 'tool', digest },
  [`registry.example/tool:1@${digest}`]: { repository: 'tool', tag: '1', digest },
};

test.each(Object.entries(names))('readImageName splits %s', (image, fields) => {
  expect(readImageName(image)).toMatchObject(fields);
});

test.each([
  ['localhost', true],
  ['localhost:5000', true],
  ['127.0.0.1:5000', true],
  ['127.9.9.9', true],
  ['localhost.example', false],
  ['registry.example:5000', false],
])('%s is a registry on the local machine: %p', (host, expected) => {
  expect(isLoopbackRegistry(host)).toBe(expected);
});
