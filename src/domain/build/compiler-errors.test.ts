import { describe, expect, test } from '@jest/globals';
import { compilerErrorIn } from './compiler-errors.ts';

describe('a compiler error is recognized', () => {
  test.each<[title: string, line: string, found: object]>([
    ['from C', 'src/a.c:3:5: error: no x', { path: 'src/a.c', line: 3, column: 5, message: 'error: no x' }],
    [
      'from C, if it is fatal',
      './a.h:3:5: fatal error: x',
      { path: 'a.h', line: 3, column: 5, message: 'fatal error: x' },
    ],
    ['from Java', 'src/A.java:12: error: no x', { path: 'src/A.java', line: 12, message: 'error: no x' }],
    [
      'from Go',
      './cmd/main.go:7:2: undefined: x',
      { path: 'cmd/main.go', line: 7, column: 2, message: 'undefined: x' },
    ],
    [
      'from TypeScript',
      'src/a.ts(3,5): error TS2304: no x',
      { path: 'src/a.ts', line: 3, column: 5, message: 'error TS2304: no x' },
    ],
    [
      'from TypeScript with its option pretty',
      'src/a.ts:3:5 - error TS2304: no x',
      { path: 'src/a.ts', line: 3, column: 5, message: 'error TS2304: no x' },
    ],
    [
      'with an absolute path in the working directory',
      '/workdir/app/a.c:3:5: error: x',
      { path: 'app/a.c', line: 3, column: 5, message: 'error: x' },
    ],
    ['with a long message', `a.c:3:5: error: ${'x'.repeat(600)}`, { message: `error: ${'x'.repeat(493)}` }],
  ])('%s', (_title, line, found) => {
    expect(compilerErrorIn(line, '/workdir')).toMatchObject(found);
  });
});

describe('a line is not taken for a compiler error if it is', () => {
  test.each<[title: string, line: string]>([
    ['a warning', 'src/a.c:3:5: warning: x'],
    ['a note', 'main.go:3:5: note: x'],
    ['the log line of a server', 'server.js:3: listening'],
    ['a time', '2026-11-24T10:00:12: error: x'],
    ['an address', '127.0.0.1:80:12: x'],
    ['a URL', 'https://example.org:80: error: x'],
    ['about a file outside of the working directory', '/usr/include/a.h:3:5: error: x'],
    ['about a file in the parent directory', '../a.h:3:5: error: x'],
    ['about a file without an extension', 'Makefile:3: error: x'],
    ['the output of a Go test', '    main_test.go:12: expected 1'],
    ['very long', `a.c:3:5: error: ${'x'.repeat(1000)}`],
    ['empty', ''],
  ])('%s', (_title, line) => {
    expect(compilerErrorIn(line, '/workdir')).toBeUndefined();
  });
});
