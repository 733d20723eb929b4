import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { renderDiagnostic } from '#domain/language/diagnostic.ts';
import { childProcesses, describeProcess, nextChild } from '#testing/process/child-processes.ts';
import { buildEngine } from './build.ts';
import { createCompiler, type CompilerOptions, type HclCompiler } from './compile.ts';

let engine = '';
let startedCompiler: HclCompiler | undefined;

beforeAll(async () => {
  engine = await buildEngine();
}, 600_000);

afterEach(async () => {
  await startedCompiler?.close();
});

function start(options: CompilerOptions = {}): HclCompiler {
  // Two seconds of processor time are too short on a slow machine.
  startedCompiler = createCompiler({ engine, timeLimitMs: 60_000, ...options });
  return startedCompiler;
}

const goodText = 'resource "cron" "day" {\n  check_interval = "@daily"\n}\n';
/** Thirty nested loops of ten rounds each: 10^30 rounds. */
const endlessText = `
job "a" {
  task "t" {
    run "exec" {
      path = "x"
      args = ${'[for a in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : '.repeat(30)}"x"${']'.repeat(30)}
    }
  }
}
`;
/** Doubles a string forty times. */
const enormousText = `job "a" {
  task "t" {
    run "shell" {
      cmd = ${Array.from({ length: 40 }, (_, i) => `[for x${i + 1} in [`).join('')}"${'x'.repeat(1000)}"${Array.from(
        { length: 40 },
        (_, i) => `] : "\${x${40 - i}}\${x${40 - i}}"][0]`,
      ).join('')}
    }
  }
}
`;

describe('the compiler', () => {
  test('returns the pipeline, or all errors', async () => {
    const compiler = start();
    expect((await compiler.compile(goodText, {})).pipeline?.resources).toHaveLength(1);
    const { pipeline, diagnostics } = await compiler.compile(
      'job "a" {\n  tsk "x" {}\n  put "x" "y" {}\n}\nresource "x" "y" {}\n',
      {},
    );
    expect(pipeline).toBeUndefined();
    expect(diagnostics.map(renderDiagnostic)).toEqual([
      '2:3: in job "a": there is no block "tsk" in job; did you mean "task"?',
      '5:10: there is no resource type "x"',
    ]);
  });

  test('stops a text that takes too long, and compiles the next one', async () => {
    const compiler = start({ timeLimitMs: 3000 });
    const answers = await Promise.all([
      compiler.compile(endlessText, {}),
      compiler.compile(goodText, {}),
      compiler.compile(endlessText, {}),
      compiler.compile(goodText, {}),
    ]);
    expect(
      answers.map(({ pipeline, diagnostics }) => pipeline?.resources.length ?? diagnostics[0]?.code),
    ).toEqual(['time-limit', 1, 'time-limit', 1]);
    expect(answers[0]?.diagnostics.map(renderDiagnostic)).toEqual([
      '6:14: reading the pipeline took longer than 3000 ms: it was at this expression',
    ]);
  });

  test('reports that the machine is busy, instead of blaming the text', async () => {
    const busy = start({ timeLimitMs: 60_000, wallLimitMs: 1 });
    const { pipeline, diagnostics } = await busy.compile(endlessText, {});
    expect([pipeline, diagnostics.map(({ code }) => code)]).toEqual([undefined, ['machine-busy']]);
    expect(diagnostics.map(renderDiagnostic)).toEqual([
      'reading the pipeline did not end within 0.001 s, most of which it waited for a processor',
    ]);
  });

  test('stops a text that takes too much memory, and compiles the next one', async () => {
    const compiler = start({ timeLimitMs: 60_000, memoryLimitMb: 64 });
    const [bad, next] = await Promise.all([
      compiler.compile(enormousText, {}),
      compiler.compile(goodText, {}),
    ]);
    expect(bad.diagnostics).toMatchObject([
      { code: 'memory-limit', severity: 'error', range: { start: { line: 4 } } },
    ]);
    expect(next.pipeline?.resources).toHaveLength(1);
  });

  test.each([
    ['larger than 256 KiB', `# ${'x'.repeat(256 * 1024)}`, 'too-large'],
    ['of more than 5,000 blocks', 'a {}\n'.repeat(5001), 'too-many-blocks'],
    ['with 100,000 opening parentheses', `a = ${'('.repeat(100_000)}`, 'too-deep'],
    ['of one line of 200 KiB', `a = "${'x'.repeat(200_000)}`, 'syntax-error'],
    ['with a NUL', 'a = "\0"', 'nul-character'],
    ['with bytes that are not UTF-8', Buffer.from([0x61, 0x3d, 0x22, 0xff, 0x22]), 'syntax-error'],
  ])('refuses a text %s', async (_, source, code) => {
    const { pipeline, diagnostics } = await start().compile(source, {});
    expect(pipeline).toBeUndefined();
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toContain(code);
  });

  test('returns the first 500 of many errors, and their number', async () => {
    const { diagnostics } = await start().compile('a {}\n'.repeat(4000), {});
    expect(diagnostics).toHaveLength(501);
    expect(diagnostics.at(-1)).toMatchObject({
      code: 'too-many-diagnostics',
      message: 'there are 3500 more errors and warnings',
    });
  });

  test.each(['SIGABRT', 'SIGKILL', 'SIGSEGV'] as const)(
    'loses only one text when its process dies of %s',
    async (signal) => {
      const before = childProcesses();
      const compiler = start({ timeLimitMs: 60_000, processes: 1 });
      const broken = compiler.compile(endlessText, {});
      const next = compiler.compile(goodText, {});
      process.kill(await nextChild(before), signal);
      expect((await broken).diagnostics).toMatchObject([
        { code: 'engine-fault', message: `the process that reads pipelines ended (${signal})` },
      ]);
      expect((await next).pipeline?.resources).toHaveLength(1);
    },
  );

  test('gives its process no environment and only permission to read', async () => {
    const before = childProcesses();
    await start({ processes: 1 }).compile(goodText, {});
    const pid = await nextChild(before);
    const { args, variables } = describeProcess(pid);
    expect(variables).toEqual(['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']);
    expect(
      args.filter((arg) => /^--(permission|allow-[a-z-]+)/.test(arg)).map((arg) => arg.split('=')[0]),
    ).toEqual(['--permission', '--allow-worker', '--allow-fs-read', '--allow-fs-read']);
  });

  test('marks its process to be killed first when the container runs out of memory', async () => {
    const before = childProcesses();
    await start({ processes: 1 }).compile(goodText, {});
    const pid = await nextChild(before);
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim()).toBe('1000');
  });

  test('ends idle processes, and starts one for the next text', async () => {
    const compiler = start({ idleMs: 1 });
    await compiler.compile(goodText, {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await compiler.compile(goodText, {})).pipeline?.resources).toHaveLength(1);
  });

  test('does not let one text delay the others', async () => {
    const compiler = start({ timeLimitMs: 60_000, processes: 2 });
    const answers = [compiler.compile(endlessText, {}).then(() => 'endless')];
    for (let i = 0; i < 5; i++) answers.push(compiler.compile(goodText, {}).then(() => 'good'));
    expect(await Promise.race(answers)).toBe('good');
    expect(await Promise.all(answers.slice(1))).toHaveLength(5);
    await compiler.close();
    await expect(answers[0]).resolves.toBe('endless');
  });

  test('refuses a short pipeline that is long when expanded', async () => {
    const script = `run "shell" {\n      cmd = "${'x'.repeat(50_000)}"\n    }`;
    const job = `job "a" {\n  for_each = toset(formatlist("i%d", range(1000)))\n  task "t" {\n    ${script}\n  }\n}\n`;
    const { pipeline, diagnostics } = await start({ timeLimitMs: 60_000 }).compile(job, {});
    expect(pipeline).toBeUndefined();
    expect(diagnostics.map(renderDiagnostic)).toEqual([
      expect.stringMatching(/^the pipeline is [\d.]+ MiB long when its groups are expanded; at most 4 MiB/),
    ]);
  });

  test('evaluates timestamp() to the same time in a whole text', async () => {
    const source = 'resource "cron" "day" {\n  check_interval = "@daily"\n  params { a = timestamp() }\n}\n';
    const { pipeline } = await start({ now: () => new Date(1_770_091_506_789) }).compile(source, {});
    expect(pipeline?.resources[0]?.params).toEqual({ a: '2026-02-03T04:05:06Z' });
  });

  test('answers pending requests when it is closed', async () => {
    const closing = start({ timeLimitMs: 60_000, processes: 1 });
    await closing.compile(goodText, {});
    const running = closing.compile(endlessText, {});
    const queued = closing.compile(goodText, {});
    const refused = expect(queued).rejects.toThrow('the compiler is closed');
    await new Promise((resolve) => setImmediate(resolve));
    await closing.close();
    expect((await running).diagnostics).toMatchObject([
      { code: 'engine-fault', message: 'the compiler was closed' },
    ]);
    await refused;
  });

  test('rejects with the path of an engine that is missing', async () => {
    const compiler = start({ engine: '/nowhere/hcl.wasm' });
    await expect(compiler.compile(goodText, {})).rejects.toThrow(/nowhere/);
  });
});
