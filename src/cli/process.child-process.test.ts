import { execFile } from 'node:child_process';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { BUILT_PROGRAM } from '#testing/process/built-program.ts';

const run = promisify(execFile);
const GOOD = 'src/cli/testdata/good.hcl';
const NO_JOBS = `resource "git" "app" {
  params {
    url  = "https://git.example.org/app.git"
    name = "app"
  }
}`;
const THOUSAND_JOBS = `job "a" {
  for_each = toset([for i in range(1000) : tostring(i)])
  task "t" {
    run "exec" {
      path = "true"
    }
  }
}`;

/** Runs the line in a shell of its own, without a terminal. */
async function shell(line: string): Promise<{ exit: unknown; out: string; err: string }> {
  // Without variables of jest, and without those that choose colours.
  const { PATH, HOME, MILLRACE_CACHE, XDG_CACHE_HOME } = env;
  const script = `millrace() { "${process.execPath}" "${BUILT_PROGRAM}" "$@"; }; set -o pipefail; ${line}`;
  try {
    const { stdout, stderr } = await run('bash', ['-c', script], {
      env: { PATH, HOME, MILLRACE_CACHE, XDG_CACHE_HOME },
    });
    return { exit: 0, out: stdout, err: stderr };
  } catch (error) {
    const failure: Error & { code?: unknown; stdout?: unknown; stderr?: unknown } = Object(error);
    return { exit: failure.code, out: String(failure.stdout), err: String(failure.stderr) };
  }
}

describe('the process of the command line', () => {
  test('exits with 0 on success', async () => {
    expect(await shell(`millrace validate ${GOOD}`)).toEqual({
      exit: 0,
      out: `${GOOD}: valid, 2 jobs, 2 resources\n`,
      err: '',
    });
  });

  test('exits with 1 for an invalid pipeline from standard input', async () => {
    const { exit, out } = await shell(`echo 'job "a" { b = 1 }' | millrace validate -`);
    expect([exit, out]).toEqual([1, expect.stringContaining('\n<stdin>:1:11: error[unknown-attribute]')]);
  });

  const misuses: Record<string, [line: string, message: string]> = {
    'a command that does not exist': [
      'millrace valdate x',
      "error: unknown command 'valdate'\n(Did you mean validate?)",
    ],
    'an option that does not exist': [
      `millrace validate --varr a=b ${GOOD}`,
      "error: unknown option '--varr'\n(Did you mean one of --var, --vars?)\n" +
        '(run millrace validate --help for its arguments)\n',
    ],
    'a missing file argument': ['millrace validate', "error: missing required argument 'file'"],
    'an unknown format': [`millrace graph --output gif ${GOOD}`, 'Allowed choices are dot, svg, png.'],
    'an endless file': [
      'millrace validate /dev/zero',
      'millrace: /dev/zero is larger than the limit of 16777216 bytes\n',
    ],
    'endless standard input': [
      'millrace fmt < /dev/zero',
      'millrace: <stdin> is larger than the limit of 16777216 bytes\n',
    ],
    'a full disk': [
      `millrace validate ${GOOD} > /dev/full`,
      'millrace: the output cannot be written: ENOSPC: no space left on device, write\n',
    ],
    'an unknown command of a group': ['millrace pipelines halt app', "error: unknown command 'halt'"],
    'an option of a verb of a group': [
      'millrace builds watch app/unit --wach',
      '(run millrace builds watch --help for its arguments)',
    ],
    'a job without its pipeline': ['millrace trigger unit', 'Write <pipeline>/<job>.'],
    'a server without TLS': [
      'echo tok_x | millrace login http://ci.example.org --token',
      'millrace: http://ci.example.org has no TLS, so anyone on the network path could read the token: use https.',
    ],
    'a server where nothing listens': [
      'MILLRACE_URL=http://127.0.0.1:2 MILLRACE_TOKEN=x millrace whoami',
      'millrace: http://127.0.0.1:2 cannot be reached: connection refused. ' +
        'Check the address and the port, and that Millrace runs there.\n',
    ],
    'no server': ['XDG_CONFIG_HOME=/nonexistent millrace whoami', 'millrace: no server: '],
    'a PNG whose text would not be legible': [
      `echo '${THOUSAND_JOBS}' | millrace graph - -o /nonexistent/x.png`,
      'Draw an SVG, hide intermediate resources or group parallel jobs',
    ],
    'a pipeline without jobs': [
      `echo '${NO_JOBS}' | millrace plan -`,
      'millrace: the pipeline has no jobs\n',
    ],
    'no job': [`millrace plan ${GOOD}`, 'millrace: name a job with --job: unit, publish\n'],
  };
  test.each(Object.entries(misuses))('exits with 2 for %s', async (_name, [line, message]) => {
    const { exit, out, err } = await shell(line);
    expect([exit, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err).not.toMatch(/^ +at /m);
  });

  test('reads what another command writes', async () => {
    expect(await shell(`millrace validate <(cat ${GOOD})`)).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/^\/dev\/fd\/\d+: valid, 2 jobs, 2 resources\n$/),
    });
  });

  test('prints help with examples and exits with 0', async () => {
    const verbs = ['', 'validate', 'fmt', 'convert', 'graph', 'plan', 'run', 'operator', 'gateway', 'agent'];
    const serverVerbs = ['login', 'pipelines update', 'jobs list', 'builds watch', 'trigger'];
    for (const verb of [...verbs, ...serverVerbs]) {
      const { exit, out } = await shell(`millrace ${verb} --help`);
      expect([verb, exit, out.includes('\nExamples:\n  millrace ')]).toEqual([verb, 0, true]);
    }
  });

  test('prints colours on request, also without a terminal', async () => {
    const { out } = await shell(`millrace validate --color always ${GOOD}`);
    expect(out).toContain('\u001B[32mvalid\u001B[39m');
  });

  test.each([
    ['FORCE_COLOR=1', true],
    ['FORCE_COLOR=1 NO_COLOR=1', true],
    ['FORCE_COLOR=0', false],
    ['NO_COLOR=1', false],
  ])('follows %s when its output is a pipe', async (environment, coloured) => {
    const { out } = await shell(`export ${environment}; millrace validate ${GOOD}`);
    expect(out.includes('\u001B[')).toBe(coloured);
  });

  test('ends quietly when its reader goes away', async () => {
    const { err } = await shell(
      'millrace graph config/samples/everything.hcl --output svg | head -c 10 > /dev/null',
    );
    expect(err).toBe('');
  });
});
