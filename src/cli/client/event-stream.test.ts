import { describe, expect, test } from '@jest/globals';
import { assert, nat, property, uniqueArray } from 'fast-check';
import { EventParser, type StreamEvent } from './event-stream.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (...pieces: string[]): StreamEvent[] => {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(bytes(piece)));
};

describe('parsing an event stream', () => {
  const cases: Record<string, [pieces: string[], events: Partial<StreamEvent>[]]> = {
    'reads name, data and id': [
      ['id: 7\nevent: log\ndata: {"a":1}\n\n'],
      [{ name: 'log', data: '{"a":1}', id: '7' }],
    ],
    'keeps an id until the next one': [
      ['id: 7\ndata: a\n\ndata: b\n\nid: 8\ndata: c\n\n'],
      [{ id: '7' }, { id: '7' }, { id: '8' }],
    ],
    'joins several lines of data': [['data: a\ndata:b\ndata\n\n'], [{ name: 'message', data: 'a\nb\n' }]],
    'removes only the first space': [['data:  a\n\n'], [{ data: ' a' }]],
    'ignores comments and unknown fields': [[': still here\n\nwhat: x\n\n'], []],
    'ignores an event without data, and its name': [['event: a\n\ndata: b\n\n'], [{ name: 'message' }]],
    'accepts every line ending': [
      ['data: a\r\n\r\ndata: b\r\rdata: c\n\n'],
      [{ data: 'a' }, { data: 'b' }, { data: 'c' }],
    ],
    'waits for the rest of an event': [['data: a\n'], []],
    'accepts a line ending in two chunks': [['data: a\r', '\n\r', '\n'], [{ data: 'a' }]],
  };
  test.each(Object.entries(cases))('%s', (_name, [pieces, events]) => {
    expect(parse(...pieces)).toMatchObject(events);
    expect(parse(...pieces)).toHaveLength(events.length);
  });

  test('finds the same events wherever the bytes are cut, even inside a character', () => {
    const text = 'retry: 1500\n\nid: 1\nevent: log\ndata: {"text":"ü€😀"}\n\n: x\r\ndata: b\r\n\r\n';
    const whole = parse(text);
    expect(whole).toHaveLength(2);
    const allBytes = bytes(text);
    assert(
      property(uniqueArray(nat(allBytes.length)), (cuts) => {
        const parser = new EventParser();
        const offsets = [0, ...cuts.toSorted((a, b) => a - b), allBytes.length];
        const events = offsets.flatMap((at, index) =>
          parser.push(allBytes.slice(at, offsets[index + 1] ?? at)),
        );
        expect([events, parser.retryMs]).toEqual([whole, 1500]);
      }),
    );
  });

  test('refuses an event that is too long before it fills the memory', () => {
    const parser = new EventParser();
    const piece = bytes('x'.repeat(1024 * 1024));
    parser.push(bytes('data: '));
    expect(() => {
      for (let times = 0; times < 20; times += 1) parser.push(piece);
    }).toThrow('an event of the stream has more than 8,388,608 characters');
  });
});
