import { expect, test } from '@jest/globals';
import { retainHistory } from './retain-history.ts';

test('history is tidied until nothing is left, or for two seconds', async () => {
  let left = 3;
  let elapsed = 0;
  const ports = {
    now: () => new Date(),
    elapsed: () => elapsed,
    retention: {
      async retainNext() {
        elapsed += 900;
        if (left === 0) return undefined;
        left -= 1;
        return { builds: 10, logs: 1, versions: 2, records: 0 };
      },
    },
  };
  expect(await retainHistory(ports)).toEqual({
    removed: { builds: 30, logs: 3, versions: 6, records: 0 },
    more: true,
  });
  expect(await retainHistory(ports)).toEqual({
    removed: { builds: 0, logs: 0, versions: 0, records: 0 },
    more: false,
  });
});
