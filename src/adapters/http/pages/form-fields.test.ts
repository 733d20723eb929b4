import { describe, expect, test } from '@jest/globals';
import { checkField, fieldProblem, formProblem, selectField, textField } from './form-fields.ts';

const EVIL = '"><script>alert(1)</script>';
const nameField = { id: 'n', name: 'name', label: 'Name' };

describe('a problem of the API is shown', () => {
  test.each([
    [
      'body/name must match pattern "^[a-z]+$"',
      { field: 'name', message: 'This value is not allowed here.' },
    ],
    [
      'params/name must match pattern "^[a-z]+$"',
      { field: 'name', message: 'This value is not allowed here.' },
    ],
    [
      'body/name must NOT have more than 100 characters',
      { field: 'name', message: 'It must not have more than 100 characters.' },
    ],
    [
      'body/groups/0/name must NOT have fewer than 1 characters',
      { field: 'name', message: 'Enter a value.' },
    ],
    ['body/other must be string', { field: 'else', message: 'body/other must be string' }],
    ['User ann does not exist.', { field: 'else', message: 'User ann does not exist.' }],
  ])('%s: beside its field', (message, problem) => {
    expect(fieldProblem(message, ['name'], 'else')).toEqual(problem);
  });

  test('above the form if no field is the cause', () => {
    const state = { values: {}, problem: fieldProblem('Try again later.', ['name']) };
    expect(formProblem(state).text).toContain('role="alert">Try again later.</p>');
    expect(textField({ ...nameField, state }).text).not.toContain('aria-invalid');
  });
});

describe('a field', () => {
  test('keeps what was entered and names its help and its problem as description', () => {
    const state = { values: { name: 'ann' }, problem: { field: 'name', message: 'Taken.' } };
    const text = textField({ ...nameField, help: 'Any.', preset: 'old', required: true, state }).text;
    expect(text).toContain('value="ann"');
    expect(text).toContain('aria-describedby="n-help n-problem"');
    expect(text).toContain('aria-invalid="true"');
    expect(text).toMatch(/id="n-problem"[^>]*>Taken\.</);
  });

  test('never repeats a secret, even if it was entered', () => {
    const state = { values: { name: 'hunter2' } };
    for (const lines of [{}, { lines: 4 }])
      expect(textField({ ...nameField, ...lines, secret: true, state }).text).not.toContain('hunter2');
  });

  test('escapes values, choices and messages', () => {
    const state = { values: { name: EVIL }, problem: { field: 'name', message: EVIL } };
    const choices = [{ value: EVIL, label: EVIL }];
    for (const field of [
      textField({ ...nameField, state, suggestions: [EVIL] }),
      textField({ ...nameField, state, lines: 3 }),
      selectField({ ...nameField, state, choices }),
      checkField({ ...nameField, label: EVIL, state }),
    ])
      expect(field.text).not.toContain('<script>');
  });

  test.each([
    ['is ticked by its preset in a new form', {}, true, true],
    ['is not ticked in a new form without that preset', {}, false, false],
    ['is not ticked after a form that was sent without the tick', { other: 'x' }, true, false],
    ['is ticked after a form that was sent with the tick', { name: 'yes' }, false, true],
  ])('with a checkbox %s', (_, values, preset, ticked) => {
    expect(checkField({ ...nameField, preset, state: { values } }).text.includes(' checked')).toBe(ticked);
  });
});
