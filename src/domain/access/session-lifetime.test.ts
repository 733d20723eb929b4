import { describe, expect, test } from '@jest/globals';
import { parseLifetime } from './session-lifetime.ts';

describe('a session lifetime', () => {
  const cases: Record<string, [text: string, seconds: number | undefined]> = {
    'of 0 never ends': ['0', 0],
    'is in seconds': ['90s', 90],
    'is in minutes by the small letter': ['1m', 60],
    'is in hours': ['24h', 86_400],
    'is in days': ['7d', 604_800],
    'may have two digits': ['30d', 2_592_000],
    'is in weeks': ['2w', 1_209_600],
    'is in months of 30 days by the capital letter': ['1M', 2_592_000],
    'is in years of 365 days': ['1y', 31_536_000],
    'adds up its parts': ['1d12h', 129_600],
    'may be a hundred years': ['100y', 3_153_600_000],
    'is not longer': ['100y1s', undefined],
    'is not longer by far': ['999999999y', undefined],
    'is not empty': ['', undefined],
    'has a unit': ['7', undefined],
    'is not negative': ['-1d', undefined],
    'has no fraction': ['1.5h', undefined],
    'has no space': ['7 d', undefined],
    'has units that exist': ['1D', undefined],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [text, seconds]) => {
    expect(parseLifetime(text)).toBe(seconds);
  });
});
