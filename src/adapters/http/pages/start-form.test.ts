import { describe, expect, test } from '@jest/globals';
import type { Input } from '#domain/pipeline/pipeline.ts';
import { startForm, triggerBody } from './start-form.ts';
import { refusedInputs } from './start-job.ts';

const fieldText = (input: Partial<Input> & Pick<Input, 'type'>): string =>
  startForm('/trigger', [{ name: 'it', default: '', ...input }], undefined)
    .text.replaceAll(/\s+/g, ' ')
    .replaceAll(' >', '>')
    .replaceAll(/ ?(?=<\/option>)|(?<=<option[^>]*>) /g, '');

describe('the field of an input', () => {
  const cases: Record<string, [Partial<Input> & Pick<Input, 'type'>, string[]]> = {
    'of type string is a text field with its default': [
      { type: 'string', default: '"x"' },
      ['<input id="input-it" name="text.it" value="&quot;x&quot;" maxlength="2048" autocomplete="off" />'],
    ],
    'with several lines is a text area': [
      { type: 'string', default: 'a\n<b>' },
      ['<textarea id="input-it" name="text.it" rows="5" maxlength="2048"> a &lt;b&gt;</textarea>'],
    ],
    'of type number accepts only numbers': [
      { type: 'number', default: '1.5' },
      ['<input id="input-it" name="filled.it" type="number" step="any" value="1.5" />'],
    ],
    'of type bool offers both values': [
      { type: 'bool', default: 'false' },
      ['<option value="true">true</option>', '<option value="false" selected>false</option>'],
    ],
    'of type choice offers its options': [
      { type: 'choice', default: 'b', options: ['a', 'b'] },
      ['<select id="input-it" name="text.it">', '<option value="b" selected>b</option>'],
    ],
    'of type list explains how to separate values': [
      { type: 'list', default: 'a,b', options: [] },
      ['value="a,b"', 'aria-describedby="help-it"', 'Separate values by commas.'],
    ],
    'of type list with options is a check box per option': [
      { type: 'list', default: 'b', options: ['a', 'b'] },
      [
        '<legend>it</legend>',
        '<input type="hidden" name="list.it" value="" />',
        'name="item.0.it" value="a" />',
        'name="item.1.it" value="b" checked />',
      ],
    ],
    'without a default is required and empty': [
      { type: 'choice', required: true, default: 'a', options: ['a'] },
      ['name="text.it" required>', '<option value="">Choose one</option>', '<option value="a">a</option>'],
    ],
    'shows its description': [
      { type: 'string', description: 'What <it> is' },
      ['aria-describedby="help-it"', '<span class="help" id="help-it">What &lt;it&gt; is</span>'],
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [input, parts]) => {
    const text = fieldText(input);
    for (const part of parts) expect(text).toContain(part);
  });
});

describe('a refused form', () => {
  const inputs: Input[] = [
    { name: 'env', type: 'choice', required: true, default: 'dev', options: ['dev', 'prod'] },
    { name: 'count', type: 'number', default: '1' },
    { name: 'zones', type: 'list', default: 'a', options: ['a', 'b'] },
  ];

  test('has the problem of each input, and what was sent', () => {
    const { values, problems } = refusedInputs(inputs, { env: '', count: 'x', zones: ['b'] });
    expect([...values]).toEqual([
      ['env', ''],
      ['count', 'x'],
      ['zones', 'b'],
    ]);
    expect([...problems]).toEqual([
      ['env', 'Input env "" is not one of the options: dev, prod.'],
      ['count', 'Input count must be a number, not "x".'],
    ]);
  });

  test('shows the problem beside its field, and keeps the values', () => {
    const refused = refusedInputs(inputs, { count: '"x"', zones: ['b'] });
    const { text } = startForm('/trigger', inputs, undefined, refused);
    expect(text).toMatch(/id="input-count"[^>]*value="&quot;x&quot;"[^>]*aria-describedby="problem-count"/);
    expect(text).toMatch(/aria-invalid="true"/);
    expect(text).toMatch(/id="problem-env">Input env has no default/);
    expect(text).toMatch(/value="b"\s+checked/);
    expect(text).not.toMatch(/value="a"\s+checked/);
  });
});

describe('a submitted form', () => {
  const cases: Record<string, [Record<string, string>, ReturnType<typeof triggerBody>]> = {
    'without inputs has no values': [{ csrf_token: 'x', check: 'true' }, {}],
    'retains texts unchanged': [{ 'text.a': '', 'text.b': 'x' }, { inputs: { a: '', b: 'x' } }],
    'omits empty numbers': [{ 'filled.a': '', 'filled.b': '1' }, { inputs: { b: '1' } }],
    'has line breaks in Unix style': [{ 'text.a': 'x\r\ny' }, { inputs: { a: 'x\ny' } }],
    'has the checked boxes in their order': [
      { 'item.10.a': 'k', 'item.2.a': 'c', 'list.a': '', 'item.0.b': 'x', 'list.c': '' },
      { inputs: { a: ['c', 'k'], c: [] } },
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [fields, body]) => {
    expect(triggerBody(fields)).toEqual(body);
  });
});
