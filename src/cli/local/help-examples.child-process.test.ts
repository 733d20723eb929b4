import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { runEnvironment, temporaryFolder, useLocalRun, withDocker } from '#testing/cli/local-run.ts';
import { VERBS } from '#testing/cli/verbs.ts';
import { BUILT_PROGRAM } from '#testing/process/built-program.ts';

useLocalRun();

const PIPELINE = `
variable "branch" {
  type    = string
  default = ""
}
variable "level" {
  type    = string
  default = "low"
}
variable "token" {
  type = string
  secret "kubernetes" {
    path = "registry"
    key  = "token"
  }
}
resource "git" "app" {
  params {
    url  = "https://git.example.org/app.git"
    name = "app"
  }
}
resource_type "registry" {
  push "shell" {
    cmd = "echo pushed with \${var.token}"
  }
}
resource "registry" "image" {
  params {}
}
job "unit" {
  get "git" "app" {}
  task "test" {
    run "shell" { cmd = "cat app/pipeline.hcl > /dev/null; echo tested" }
  }
}
job "lint" {
  task "lint" {
    run "shell" { cmd = "echo \${var.branch} \${var.level}" }
  }
}
job "deploy" {
  input "environment" {
    type = string
  }
  approve "people" {}
  task "deploy" {
    run "shell" { cmd = "echo deployed to $INPUT_ENVIRONMENT" }
  }
}
job "publish" {
  put "registry" "image" {}
}
job "integration" {
  task "run" {
    run "docker" {
      image = "golang:1.26"
      cmd   = "echo inside $IMAGE"
    }
  }
}
`;

/** A line that each example of the help prints, in the order of the examples. */
const EXPECTED = [
  'task test | tested',
  'task lint | main high',
  'task deploy | deployed to staging',
  'put registry.image | pushed with ***',
  'task run | inside golang:1.26',
];

const run = promisify(execFile);

test('each example of the help runs', async () => {
  const folder = join(temporaryFolder(), 'checkout');
  mkdirSync(folder);
  writeFileSync(join(folder, 'pipeline.hcl'), PIPELINE);
  writeFileSync(join(folder, 'values.json'), '{"level": "high"}');
  writeFileSync(join(folder, 'token'), 'the-token');
  const env = { ...runEnvironment(), PATH: withDocker('podman') };
  const outputs: string[] = [];
  for (const line of VERBS.find(({ path }) => path === 'run')?.examples ?? []) {
    const script = `millrace() { '${process.execPath}' '${BUILT_PROGRAM}' "$@"; }; ${line}`;
    const { stdout } = await run('bash', ['-c', script], { cwd: folder, env });
    outputs.push(stdout);
  }
  expect(outputs).toEqual(EXPECTED.map((line) => expect.stringContaining(`${line}\n`)));
  // The example with --keep leaves its work directory.
  expect(readdirSync(temporaryFolder()).filter((name) => name.startsWith('millrace-run-'))).toHaveLength(1);
});
