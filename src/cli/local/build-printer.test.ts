import { describe, expect, test } from '@jest/globals';
import type { BuildEvent } from '#domain/build/events.ts';
import type { StepRecord } from '#domain/planning/step-records.ts';
import { BuildPrinter } from './build-printer.ts';

const records: StepRecord[] = [
  { id: '0', kind: 'task', name: 'unit' },
  { id: '0.on_failure.0', kind: 'command', name: 'shell', parent: '0', hook: 'on_failure' },
  { id: '1', kind: 'put', name: 'git.app', resource: 'git.app' },
  { id: 'ensure.0', kind: 'notify', name: 'chat.ops', hook: 'ensure' },
];

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence' | 'at'> : never;

function print(
  events: Unnumbered<BuildEvent>[],
  { isScreen = false, colour = false } = {},
): { out: string; err: string; summary: string } {
  let out = '';
  let err = '';
  const terminal = {
    out: (text: string | Uint8Array) => void (out += String(text)),
    err: (text: string) => void (err += text),
    stdin: () => {
      throw new Error('nothing is read');
    },
    isScreen,
    colour,
  };
  const printer = new BuildPrinter(terminal, records, new Map([['1', 'not pushed']]));
  events.forEach((event, index) => {
    printer.event({ ...event, sequence: index + 1, at: new Date(index * 1500).toISOString() });
  });
  return { out, err, summary: printer.summary() };
}

const log = (step: string, text: string) => ({ type: 'log', step, text }) as const;
const started = (step: string) => ({ type: 'step-started', step }) as const;

describe('the log', () => {
  test('has the step in front of each line, also of lines that arrive in pieces or without an end', () => {
    const { out } = print([
      log('0', 'one\ntw'),
      log('1', 'other\n'),
      log('0', 'o\nthree'),
      { type: 'step-ended', step: '0', status: 'succeeded' },
    ]);
    expect(out).toBe('task unit | one\nput git.app | other\ntask unit | two\ntask unit | three\n');
  });

  test('names hooks after the step that they belong to', () => {
    const { out } = print([log('0.on_failure.0', 'a\n'), log('ensure.0', 'b\n')]);
    expect(out).toBe('task unit, on_failure shell | a\nensure notify chat.ops | b\n');
  });

  test('has only the last state of a line that is written over itself', () => {
    expect(print([log('0', '10 %\r50 %\r100 %\r\n')]).out).toBe('task unit | 100 %\n');
  });

  test('moves no cursor on a screen, and leaves no colour on', () => {
    const text = '\u001b[2J\u001b[31mred\n';
    const { out } = print([log('0', text)], { isScreen: true, colour: true });
    expect(out.endsWith(' \u001b[31mred\u001b[0m\n')).toBe(true);
    expect(out).not.toContain('[2J');
    expect(print([log('0', text)], { isScreen: true }).out).toBe('task unit | red\n');
  });
});

test('a step with several attempts is announced once', () => {
  const { err } = print([started('0'), { ...started('0'), attempt: 2 }, started('1')]);
  expect(err).toBe('── task unit\n── put git.app\n');
});

test('the summary lists the steps that ended, with their duration and message', () => {
  const { summary } = print([
    started('0'),
    { type: 'step-ended', step: '0', status: 'failed', exitCode: 3, message: 'exit code 3' },
    started('0.on_failure.0'),
    { type: 'step-ended', step: '0.on_failure.0', status: 'succeeded' },
    started('1'),
    { type: 'step-ended', step: '1', status: 'succeeded' },
  ]);
  expect(summary).toBe(`STATUS       TOOK    STEP                          WHY
failed       1.5 s   task unit                     exit code 3
succeeded    1.5 s   task unit, on_failure shell
not pushed   1.5 s   put git.app
`);
});
