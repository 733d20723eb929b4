import { describe, expect, test } from '@jest/globals';
import { ENVIRONMENT_TABLE, rowOfVariable } from './environment-table.ts';

describe('the example of a row', () => {
  test.each(ENVIRONMENT_TABLE.map((row) => ({ row, name: row.name, example: row.example })))(
    'names a variable of the row $name and gives it a value: $example',
    ({ row, example }) => {
      const [, name = '', value = ''] = /^(\w+)=(.+)$/.exec(example) ?? [];
      expect(rowOfVariable(name)).toBe(row);
      expect(value).not.toBe('');
    },
  );
});
