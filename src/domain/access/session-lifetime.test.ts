import { describe, expect, test } from '@jest/globals';
import { parseLifetime } from './session-lifetime.ts';

describe('a session lifetime', () => {
  const cases: Record<string, [text: string, seconds: number | undefined]> = {
    'of 0 is unlimited': ['0', 0],
    'can be in seconds': ['90s', 90],
    'can be in minutes, with a lower-case letter': ['1m', 60],
    'can be in hours': ['24h', 86_400],
    'can be in days': ['7d', 604_800],
    'can have two digits': ['30d', 2_592_000],
    'can be in weeks': ['2w', 1_209_600],
    'can be in months of 30 days, with an upper-case letter': ['1M', 2_592_000],
    'can be in years of 365 days': ['1y', 31_536_000],
    'adds up its parts': ['1d12h', 129_600],
    'can be a hundred years': ['100y', 3_153_600_000],
    'cannot be longer than a hundred years': ['100y1s', undefined],
    'cannot be a number that overflows': ['999999999y', undefined],
    'cannot be empty': ['', undefined],
    'must have a unit': ['7', undefined],
    'cannot be negative': ['-1d', undefined],
    'cannot have a fraction': ['1.5h', undefined],
    'cannot have a space': ['7 d', undefined],
    'must have a known unit': ['1D', undefined],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [text, seconds]) => {
    expect(parseLifetime(text)).toBe(seconds);
  });
});
