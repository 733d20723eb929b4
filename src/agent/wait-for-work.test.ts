import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { GatewayError, SessionOver } from './gateway-client.ts';
import { waitForWork } from './wait-for-work.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const LIMIT_MS = 600_000;
const WORK = { work: 'build', plan: { format: 3, containers: [] } };
type OnLine = (line: string) => void;

/** An agent that waits for work. It calls `openStream` for each stream, with the number of streams so far. */
function waitingAgent(openStream: (count: number, onLine: OnLine, stop: AbortSignal) => Promise<void>) {
  const stop = new AbortController();
  const paths: string[] = [];
  const follow = async (path: string, onLine: OnLine, signal: AbortSignal): Promise<void> => {
    paths.push(path);
    await openStream(paths.length, onLine, signal);
  };
  const options = { architecture: 'arm64', stop: stop.signal, unreachableLimitMs: LIMIT_MS };
  const work = waitForWork({ follow }, options);
  work.catch(() => undefined);
  return { work, paths, stop };
}

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds));

describe('an agent that waits', () => {
  test('sends its architecture, and gets the plan in the first line of the stream', async () => {
    const { work, paths } = waitingAgent(async (_count, onLine) => {
      await sleep(1000);
      onLine(JSON.stringify(WORK));
      await sleep(60_000);
    });
    await jest.advanceTimersByTimeAsync(1000);
    expect(await work).toEqual(WORK);
    expect(paths).toEqual(['/agent/v1/work?architecture=arm64']);
  });

  test('connects again when its stream breaks or ends', async () => {
    const { work, paths } = waitingAgent(async (count, onLine) => {
      if (count === 1) throw new Error('cut off');
      if (count === 3) onLine(JSON.stringify(WORK));
    });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await work).toEqual(WORK);
    expect(paths).toHaveLength(3);
  });

  test('ends when its session is over, or the Pod is deleted', async () => {
    const withSessionOver = waitingAgent(() => Promise.reject(new SessionOver('401')));
    await expect(withSessionOver.work).rejects.toThrow(SessionOver);
    const deleted = waitingAgent(
      (_count, _onLine, stop) =>
        new Promise((_resolve, reject) => stop.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    deleted.stop.abort();
    await expect(deleted.work).rejects.toThrow('aborted');
  });

  test('gives up when the gateway is unreachable for ten minutes, as long as a build waits for its Pod', async () => {
    const { work } = waitingAgent(() => Promise.reject(new GatewayError('refused')));
    const ended = expect(work).rejects.toThrow('unreachable for too long');
    await jest.advanceTimersByTimeAsync(LIMIT_MS + 30_000);
    await ended;
  });

  test('gives up after ten minutes in which each stream ends as soon as it opens, so that the build gets another Pod', async () => {
    const { work } = waitingAgent(() => Promise.resolve());
    const ended = expect(work).rejects.toThrow('unreachable for too long');
    await jest.advanceTimersByTimeAsync(LIMIT_MS + 30_000);
    await ended;
  });

  test('waits without a limit while streams work', async () => {
    const { work, paths, stop } = waitingAgent(() => sleep(120_000));
    await jest.advanceTimersByTimeAsync(10 * LIMIT_MS);
    expect(paths.length).toBeGreaterThan(10);
    stop.abort();
    await jest.advanceTimersByTimeAsync(120_000);
    await expect(work).rejects.toThrow('the Pod is stopping');
  });

  test('connects again after a plan in an unknown format', async () => {
    const { work } = waitingAgent(async (count, onLine) => {
      onLine(JSON.stringify(count === 1 ? { work: 'build', plan: { format: 9 } } : WORK));
    });
    await jest.advanceTimersByTimeAsync(1000);
    expect(await work).toEqual(WORK);
  });
});
