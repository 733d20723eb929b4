import { gzipSync } from 'node:zlib';
import { expect, jest, test } from '@jest/globals';
import { ask, fake, KEY } from '#testing/http/agent-server-under-test.ts';
import { hashKey } from './sessions.ts';

const MIB = 1024 * 1024;
const OTHER_KEY = 'o'.repeat(43);

const sendResults = (key: string, megabytes: number) =>
  ask('/agent/v1/check-results', {
    key,
    body: gzipSync(`${' '.repeat(megabytes * MIB)}{"results":[],"done":false}`),
    headers: { 'content-encoding': 'gzip' },
  });

test('a body is refused for lack of memory while others of its agent are handled, and taken after them', async () => {
  for (const key of [KEY, OTHER_KEY]) fake.sessions.set(hashKey(key), { kind: 'checks', run: 9 });
  const [handling, handled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const record = jest.spyOn(fake.parts.flows, 'recordVersions').mockImplementationOnce(async () => {
    handling.resolve();
    await handled.promise;
    return 'recorded';
  });
  const first = sendResults(KEY, 12);
  await handling.promise;
  expect(await sendResults(KEY, 12)).toMatchObject({
    status: 429,
    body: { detail: 'There is no memory for this body now. Try again in a few seconds.' },
  });
  expect(await sendResults(KEY, 0)).toMatchObject({ status: 200 });
  expect(await sendResults(OTHER_KEY, 4)).toMatchObject({ status: 200 });
  handled.resolve();
  expect(await first).toMatchObject({ status: 200 });
  // The server may notice the end of a response after its client.
  while ((await sendResults(KEY, 12)).status === 429);
  expect(record).toHaveBeenCalledTimes(4);
});
