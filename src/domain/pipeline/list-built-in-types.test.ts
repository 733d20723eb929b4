import { expect, test } from '@jest/globals';
import {
  builtInNotificationTypes,
  builtInResourceTypes,
  builtInSecretTypes,
  builtInServiceTypes,
} from './built-in-types.ts';
import { listBuiltInTypes } from './list-built-in-types.ts';

const types = listBuiltInTypes();
const namesOfKind = (kind: string): string[] =>
  types
    .filter((type) => type.kind === kind)
    .flatMap(({ name, aliases }) => [name, ...aliases])
    .toSorted();

test('the list has each built-in type once, under all its names', () => {
  expect(namesOfKind('resource_type')).toEqual([...builtInResourceTypes.keys()].toSorted());
  expect(namesOfKind('notification_type')).toEqual([...builtInNotificationTypes.keys()].toSorted());
  expect(namesOfKind('service_type')).toEqual([...builtInServiceTypes.keys()].toSorted());
  expect(namesOfKind('secret_type')).toEqual([...builtInSecretTypes.keys()].toSorted());
  expect(namesOfKind('runner_type')).toEqual(['docker', 'exec', 'shell']);
});

test('the description of each type is one sentence', () => {
  for (const { description } of types) expect(description).toMatch(/^[A-Z].+\.$/);
});

test('the parameters of each type are those of its definition', () => {
  expect(types.find(({ kind, name }) => kind === 'resource_type' && name === 'artifact')?.params).toContain(
    'secret_access_key',
  );
  expect(types.find(({ name }) => name === 'redis')?.params).toEqual(['version', 'port']);
});
