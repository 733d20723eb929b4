import { describe, expect, test } from '@jest/globals';
import { changesOf, renderChange } from './changes.ts';
import type { DefinitionJson, PipelineUpdate } from './response-types.ts';

const KNOWN: DefinitionJson = { name: 'app', config: 'a\nb\nc\n', vars: { x: '1', y: '2' }, public: false };
const plain = (_style: unknown, text: string): string => text;
const renderLines = (update: PipelineUpdate, known: DefinitionJson = KNOWN): string[] =>
  renderChange(changesOf(known, update), plain).split('\n').slice(0, -1);

const longText = (word: string): string =>
  Array.from({ length: 5000 }, (_, at) => `${word} ${at}\n`).join('');

describe('the changes of an update', () => {
  const cases: Record<string, [update: PipelineUpdate, lines: string[]]> = {
    'are empty for the same pipeline': [{}, []],
    'are empty for values that the pipeline has already': [
      { config: KNOWN.config, vars: KNOWN.vars, public: false },
      [],
    ],
    'include the visibility': [{ public: true }, ['  public: false → true']],
    'include the display name': [{ display_name: 'App' }, ['  display name: none → App']],
    'name variables without their values': [
      { vars: { x: 'secret', z: '3' } },
      ['  variable x: changed', '  variable y: removed', '  variable z: added'],
    ],
    'show a changed line': [{ config: 'a\nB\nc\n' }, ['    a', '  - b', '  + B', '    c', '']],
    'show a removed line': [{ config: 'a\nc\n' }, ['    a', '  - b', '    c', '']],
    'show an added last line': [{ config: 'a\nb\nc\nd\n' }, ['    a', '    b', '    c', '  + d', '']],
    'show a repeated line': [{ config: 'a\nb\nb\nc\n' }, ['    a', '    b', '  + b', '    c', '']],
    'show control characters as text': [
      { config: 'a\nb\nc\n\u001b[2J' },
      ['    a', '    b', '    c', '  -', '  + \uFFFD[2J'],
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [update, lines]) => {
    expect(renderLines(update)).toEqual(lines);
  });

  test('leave out lines far from a change', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    const config = lines.join('\n');
    const shown = renderLines(
      { config: config.replace('line 10', 'ten').replace('line 30', 'thirty') },
      { ...KNOWN, config },
    );
    expect(shown).toEqual([
      '  …',
      '    line 7',
      '    line 8',
      '    line 9',
      '  - line 10',
      '  + ten',
      '    line 11',
      '    line 12',
      '    line 13',

      '  …',
      '    line 27',
      '    line 28',
      '    line 29',
      '  - line 30',
      '  + thirty',
      '    line 31',
      '    line 32',
      '    line 33',

      '  …',
    ]);
  });

  test('do not compare entirely different texts line by line', () => {
    expect(renderLines({ config: longText('new') }, { ...KNOWN, config: longText('old') })).toEqual([
      '  - (5000 lines)',
      '  + (5000 lines)',
      '',
    ]);
  });
});
