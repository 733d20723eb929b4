import { expect, jest, test } from '@jest/globals';
import { BUILD, KEY } from '#testing/http/agent-server-under-test.ts';
import { hashKey, Sessions } from './sessions.ts';

test('an agent that opens its session again keeps the counts of its limits', async () => {
  const sessions = new Sessions(() => Promise.resolve(BUILD));
  // All requests fall into one period of ten seconds, however long they take.
  const time = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  for (let sent = 0; sent < 300; sent += 1) await sessions.identify(`Bearer ${KEY}`);
  sessions.cache(hashKey(KEY), BUILD);
  await expect(sessions.identify(`Bearer ${KEY}`)).rejects.toMatchObject({ kind: 'too-many-requests' });
  time.mockRestore();
});
