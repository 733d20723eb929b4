import { expect, test } from '@jest/globals';
import {
  builtInNotificationTypes,
  builtInResourceTypes,
  builtInSecretTypes,
  builtInServiceTypes,
} from './built-in-types.ts';
import { listBuiltInTypes } from './list-built-in-types.ts';

const types = listBuiltInTypes();
const named = (kind: string): string[] =>
  types
    .filter((type) => type.kind === kind)
    .flatMap(({ name, aliases }) => [name, ...aliases])
    .toSorted();

test('lists each built-in type once, under all its names', () => {
  expect(named('resource_type')).toEqual([...builtInResourceTypes.keys()].toSorted());
  expect(named('notification_type')).toEqual([...builtInNotificationTypes.keys()].toSorted());
  expect(named('service_type')).toEqual([...builtInServiceTypes.keys()].toSorted());
  expect(named('secret_type')).toEqual([...builtInSecretTypes.keys()].toSorted());
  expect(named('runner_type')).toEqual(['docker', 'exec', 'shell']);
});

test('says in a sentence what each type is for', () => {
  for (const { description } of types) expect(description).toMatch(/^[A-Z].+\.$/);
});

test('reads the parameters from the definitions', () => {
  expect(types.find(({ kind, name }) => kind === 'resource_type' && name === 'artifact')?.params).toContain(
    'secret_access_key',
  );
  expect(types.find(({ name }) => name === 'redis')?.params).toEqual(['version', 'port']);
});
