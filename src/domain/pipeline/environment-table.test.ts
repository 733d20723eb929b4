import { describe, expect, test } from '@jest/globals';
import { ENVIRONMENT_TABLE, rowOfVariable } from './environment-table.ts';

describe('the example of a variable', () => {
  test.each(ENVIRONMENT_TABLE.map((row) => ({ row, name: row.name, example: row.example })))(
    'for $name is a value of a variable of its row: $example',
    ({ row, example }) => {
      const [, name = '', value = ''] = /^(\w+)=(.+)$/.exec(example) ?? [];
      expect(rowOfVariable(name)).toBe(row);
      expect(value).not.toBe('');
    },
  );
});
