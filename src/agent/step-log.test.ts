import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createMasker } from '#domain/build/mask-secrets.ts';
import { LogBudget, StepLog } from './step-log.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const write = (log: StepLog, text: string): void => log.write('stdout', Buffer.from(text));

function logOf(prefix = ''): { log: StepLog; text: () => string } {
  let text = '';
  const log = new StepLog(createMasker([]), new LogBudget(1000), (part) => void (text += part), prefix);
  return { log, text: () => text };
}

test.each([
  ['directly after it', 0],
  ['after the beginning was sent', 5000],
])('a note after the beginning of a line is a line of its own, %s', (_, ms) => {
  const { log, text } = logOf();
  write(log, 'Downloading');
  jest.advanceTimersByTime(ms);
  log.note('[cancelled]');
  log.end();
  expect(text()).toBe('Downloading\n[cancelled]\n');
});

test('a note after a whole line, or at the beginning, follows without an empty line', () => {
  const { log, text } = logOf();
  log.note('[attempt 1]');
  write(log, 'done\n');
  jest.advanceTimersByTime(5000);
  log.note('[cancelled]');
  log.end();
  expect(text()).toBe('[attempt 1]\ndone\n[cancelled]\n');
});

test('each line begins with the prefix, notes too', () => {
  const { log, text } = logOf('db: ');
  write(log, 'a\nb');
  jest.advanceTimersByTime(5000);
  write(log, 'c');
  log.note('[it ended]');
  log.end();
  expect(text()).toBe('db: a\ndb: bc\ndb: [it ended]\n');
});
