import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { buildEngine } from './build.ts';
import { createCompiler, type HclCompiler } from './compile.ts';

// Slow machines take long to start threads and programs.
jest.setTimeout(600_000);

let compiler: HclCompiler;
let impatient: HclCompiler;
beforeAll(async () => {
  const engine = await buildEngine();
  compiler = createCompiler({ engine, timeLimitMs: 300_000, processes: 1 });
  impatient = createCompiler({ engine, timeLimitMs: 500, processes: 1 });
}, 600_000);
afterAll(() => Promise.all([compiler.close(), impatient.close()]));

const script = (cmd: string): string =>
  `job "a" {\n  task "t" {\n    run "shell" {\n      cmd = ${cmd}\n    }\n  }\n}\n`;
const args = (list: string): string =>
  `job "a" {\n  task "t" {\n    run "exec" {\n      path = "x"\n      args = ${list}\n    }\n  }\n}\n`;
/** A number squared again and again. */
const squared = (inner: string, times: number): string =>
  Array.from({ length: times }).reduce(
    (text: string, _, i) => `[for v${i} in [${text}] : v${i} * v${i}][0]`,
    inner,
  );
const megabyte = 'x'.repeat(1024 * 1024);

/** Texts that are refused, and the code of their error. */
const refused: [title: string, source: string | Uint8Array, code: string][] = [
  ['100,000 opening parentheses', `a = ${'('.repeat(100_000)}`, 'too-deep'],
  ['100,000 opening brackets', `a = ${'['.repeat(100_000)}`, 'too-deep'],
  ['80,000 nested templates', `a = ${'"${'.repeat(80_000)}`, 'too-deep'],
  ['20,000 nested directives', `a = "${'%{ if x }'.repeat(20_000)}"`, 'too-deep'],
  ['20,000 directives after comments', `a = "${'%{/**/if x}'.repeat(20_000)}"`, 'too-deep'],
  ['50,000 nested blocks', 'a {\n'.repeat(50_000), 'too-deep'],
  ['a heredoc of 200,000 lines', script(`<<E\n${'\n'.repeat(200_000)}E\n`), 'too-many-lines'],
  // A dollar sign that begins no template counts as a line.
  ['a heredoc of 200,000 dollar signs', script(`<<E\n${'$'.repeat(200_000)}\nE\n`), 'too-many-lines'],
  ['20,000 unclosed heredocs', 'a = <<E\n'.repeat(20_000), 'too-many-lines'],
  ['a line of 1 MiB', script(`"${megabyte}"`), 'too-large'],
  ['a comment of 1 MiB', `# ${megabyte}\n`, 'too-large'],
  ['20,000 blocks', 'a {}\n'.repeat(20_000), 'too-many-blocks'],
  // HCL reads the # of `${#a}` as the beginning of a comment, so such a template does not end on its line.
  ['40,000 shell expansions', script(`"${'${#a} '.repeat(40_000)}"`), 'syntax-error'],
  ['4,900 lines of nested expansions', script(`<<E\n${'${#a} ${a%.x}\n'.repeat(4900)}E\n`), 'syntax-error'],
  ['120,000 unclosed templates', script(`"${'${'.repeat(120_000)}"`), 'syntax-error'],
  ['a NUL', script('"a\0b"'), 'nul-character'],
  ['256 KiB of NULs', '\0'.repeat(256 * 1024), 'nul-character'],
  ['256 KiB that are not UTF-8', Buffer.alloc(256 * 1024, 0xff), 'syntax-error'],
  [
    'half a UTF-8 character at the end',
    Buffer.from([0x61, 0x20, 0x3d, 0x20, 0x22, 0xf0, 0x9f]),
    'syntax-error',
  ],
  ['80,000 byte order marks', '\ufeff'.repeat(80_000), 'syntax-error'],
  ['a range of a billion numbers', args('range(1000000000)'), 'evaluation-failed'],
  [
    'a product of a billion elements',
    args('flatten(setproduct(range(1000), range(1000), range(1000)))'),
    'evaluation-failed',
  ],
  ['padding to a billion characters', script('format("%999999999d", 1)'), 'evaluation-failed'],
  ['a precision of a billion digits', script('format("%.999999999f", 1)'), 'evaluation-failed'],
  [
    'a format that repeats its argument',
    script(`format("${'%[1]s'.repeat(2000)}", "${'x'.repeat(50_000)}")`),
    'evaluation-failed',
  ],
  [
    'a replacement that multiplies the text',
    script(`replace("${'a'.repeat(50_000)}", "a", "${'b'.repeat(1000)}")`),
    'evaluation-failed',
  ],
  [
    'a pattern that multiplies the text',
    script(`regexreplace("${'a'.repeat(50_000)}", "a", "${'$0'.repeat(500)}")`),
    'evaluation-failed',
  ],
  ['an indentation of a billion blanks', script('indent(1000000000, "a\\nb")'), 'evaluation-failed'],
  ['a number of a billion digits, multiplied', script(`"\${${squared('1e999', 40)}}"`), 'evaluation-failed'],
  ['a number of a billion digits, in a string', script('"${tonumber("1e600000000")}"'), 'evaluation-failed'],
  ['a number of a billion digits, formatted', script('format("%d", "1e600000000")'), 'evaluation-failed'],
  ['a number of a billion digits, in JSON', script('"${jsondecode("1e600000000")}"'), 'evaluation-failed'],
  [
    'JSON of 100,000 brackets',
    script(`jsonencode(jsondecode("${'['.repeat(100_000)}"))`),
    'evaluation-failed',
  ],
  ['a value of 20 MiB', args(`[for i in range(200) : "${'x'.repeat(100_000)}"]`), 'evaluation-failed'],
  ['a pattern of 100,000 brackets', script(`regex("${'('.repeat(100_000)}", "a")`), 'evaluation-failed'],
];

/** Texts that would run for ever, or until the memory is used up. */
const endless: [title: string, source: string][] = [
  ['nested loops', args(`${'[for a in range(1000) : '.repeat(20)}"x"${']'.repeat(20)}`)],
  [
    'a string that doubles repeatedly',
    script(
      Array.from({ length: 40 }).reduce(
        (text: string, _, i) => `[for x${i} in [${text}] : "\${x${i}}\${x${i}}"][0]`,
        `"${'x'.repeat(1000)}"`,
      ),
    ),
  ],
  [
    'a list that doubles repeatedly',
    args(
      Array.from({ length: 40 }).reduce(
        (list: string, _, i) => `[for x${i} in [${list}] : concat(x${i}, x${i})][0]`,
        '["x"]',
      ),
    ),
  ],
  [
    'a comparison of large equal values',
    script(`"\${length(distinct([for i in range(1000) : [for j in range(1000) : "\${i}-\${j}"]]))}"`),
  ],
];

async function codesOf(target: HclCompiler, source: string | Uint8Array): Promise<string[]> {
  const { pipeline, diagnostics } = await target.compile(source, {});
  expect(pipeline).toBeUndefined();
  return diagnostics.map(({ code }) => code);
}

async function expectHealth(target: HclCompiler): Promise<void> {
  // On a slow machine, even a good text may exceed a time limit of half a second.
  for (;;) {
    const { pipeline, diagnostics } = await target.compile(script('upper("a")'), {});
    if (pipeline) return;
    expect(diagnostics.map(({ code }) => code)).toEqual(['time-limit']);
  }
}

describe('the compiler survives a hostile text', () => {
  test.each(refused)('of %s: it reports an error, and compiles the next text', async (_, source, code) => {
    expect(await codesOf(compiler, source)).toContain(code);
    await expectHealth(compiler);
  });

  test.each(endless)('with %s: it stops at a limit, and compiles the next text', async (_, source) => {
    const codes = await codesOf(impatient, source);
    expect(['time-limit', 'memory-limit', 'evaluation-failed']).toContain(codes[0]);
    await expectHealth(impatient);
  });
});
