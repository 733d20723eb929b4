import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { isLocal, VERBS } from '#testing/cli/verbs.ts';
import { BUILT_PROGRAM } from '#testing/process/built-program.ts';

/*
 * Runs the examples of all verbs that need no server, except `run`, in a shell. The examples of `run` need
 * containers and run in local/help-examples.child-process.test.ts. The examples of the verbs that need a
 * server run in e2e/command-line-examples.test.ts.
 */
const OFFLINE_VERBS = VERBS.filter((verb) => isLocal(verb) && verb.path !== 'run');

const PIPELINE = `variable "branch" {
  type    = string
  default = "main"
}

resource "git" "app" {
  params {
    url    = "https://git.example.org/app.git"
    name   = "app"
    branch = var.branch
  }
}

job "unit" {
  get "git" "app" {
    trigger = true
  }
}

job "test" {
  matrix {
    os = ["linux", "darwin"]
  }
  task "test" {
    run "shell" {
      cmd = "true"
    }
  }
}
`;

const MANIFEST = `apiVersion: millrace.dev/v1alpha1
kind: Pipeline
metadata:
  name: app
  namespace: shop
spec:
  config: |
${PIPELINE.replaceAll(/^(?=.)/gm, '    ')}`;

/** A pipeline of Concourse. */
const CONCOURSE = `resources:
  - name: app
    type: git
    source: {uri: https://git.example.org/app.git, branch: ((branch))}
jobs:
  - name: unit
    plan:
      - {get: app, trigger: true}
`;

const FILES = {
  'pipeline.hcl': PIPELINE,
  'pipeline.yaml': MANIFEST,
  'deploy/pipeline.yaml': MANIFEST,
  'values.json': '{"branch": "next"}',
  'pipeline.yml': CONCOURSE,
};

/** Scripts for the programs that the examples call. This machine may have none of them except `millrace`. */
const PROGRAMS = {
  millrace: `exec '${process.execPath}' '${BUILT_PROGRAM}' "$@"`,
  kustomize: 'exec cat pipeline.yaml',
  fly: 'exec cat pipeline.yml',
  dot: 'exec grep digraph',
};

/** Bash cannot read scripts for other shells, so a function stands in for `source`. */
const SOURCE_FUNCTIONS: Record<string, string> = {
  'source <(millrace completion zsh)': 'source() { grep "#compdef millrace" "$1"; };',
  'millrace completion fish | source': 'source() { grep "complete --command millrace"; };',
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-examples-'));
  for (const name of ['bin', 'deploy', 'types']) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Files that an example opened for its output, but did not fill. */
const emptyFiles = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => statSync(join(folder, name)).size === 0,
  );

test.each(OFFLINE_VERBS)('each example of `millrace $path --help` runs', async ({ path, examples }) => {
  expect(examples).not.toEqual([]);
  for (const line of examples) {
    expect(line).toContain(`millrace ${path}`);
    const script = `set -euo pipefail; PATH="$PWD/bin:$PATH"; ${SOURCE_FUNCTIONS[line] ?? ''} ${line}`;
    await promisify(execFile)('bash', ['-c', script], { cwd: folder });
    expect([line, emptyFiles()]).toEqual([line, []]);
  }
});
