import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { checkout } from '#tools/checkout.ts';

const run = promisify(execFile);

test('`make install` gives a command that works in any folder without the checkout', async () => {
  const prefix = await mkdtemp(join(tmpdir(), 'millrace install '));
  try {
    const env = { ...process.env, NODE_OPTIONS: '', MAKEFLAGS: '' };
    const { stdout } = await run('make', ['install', `PREFIX=${prefix}`], { cwd: checkout, env });
    expect(stdout).toContain(`installed ${prefix}/bin/millrace`);
    await writeFile(
      join(prefix, 'pipeline.hcl'),
      'resource "cron" "day" {\n  check_interval = "@daily"\n}\n',
    );
    // kubectl runs the program kubectl-millrace as `kubectl millrace`.
    for (const program of ['millrace', 'kubectl-millrace']) {
      const validated = await run(join(prefix, 'bin', program), ['validate', 'pipeline.hcl'], {
        cwd: prefix,
        env: { PATH: '/usr/bin:/bin' },
      });
      expect([program, validated.stdout]).toEqual([program, expect.stringMatching(/^pipeline.hcl: valid/)]);
    }
  } finally {
    await rm(prefix, { recursive: true, force: true });
  }
}, 600_000);
