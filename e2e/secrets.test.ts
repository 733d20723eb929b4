import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isEmbedded, readEtcd } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi, request } from '#e2e/support/gateway.ts';
import { apply, kubectl } from '#e2e/support/kubectl.ts';

const TEAM = teamName('e2e-secrets');
const CANARY = 'canary-5up3r-s3cr3t-value';
/** A value that would end the quotes around it in a script. */
const AWKWARD = 'awkward \'single\' "double"\n$(second) line of the s3cr3t';

const CONFIG = `
variable "password" {
  type = string
}

variable "awkward" {
  type = string
}

resource_type "safe" {
  params = ["password"]
  check "shell" {
    env = { FROM_ENV = var.password }
    cmd = <<-EOT
      test "$FROM_ENV" = "$param_password"
      echo "checking with $param_password" >&2
      printf '[{"length":"%s"}]' "$(printf %s "$param_password" | wc -c)"
    EOT
  }
  pull "shell" {
    cmd = "echo pulling with $param_password"
  }
}

resource "safe" "box" {
  params {
    password = var.password
  }
}

job "open" {
  get "safe" "box" {
    env = { PULLING = var.password }
  }
  task "echo" {
    run "shell" {
      cmd = "echo \\"the word is \${var.password}\\"; echo; printf %s '\${var.password}' | base64; ps ax -o args || true"
    }
  }
  task "environment" {
    env = { AWKWARD = var.awkward }
    run "shell" {
      env = { PASSWORD = var.password }
      cmd = "printf %s \\"$AWKWARD\\" | sha256sum; echo \\"$AWKWARD and $PASSWORD\\"; ps ax -o args || true"
    }
  }
}
`;

beforeAll(async () => {
  await createTeam(TEAM);
  await apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'safe', namespace: TEAM, labels: { 'millrace.dev/usable': 'true' } },
    stringData: { password: CANARY, awkward: AWKWARD },
  });
}, 600_000);
afterAll(() => deleteTeam(TEAM), 600_000);

test('a secret value reaches its step and appears nowhere else', async () => {
  await createPipeline(TEAM, 'vault', CONFIG, { varsFrom: [{ secretRef: { name: 'safe' } }] });
  const api = pipelineApi(TEAM, 'vault');
  expect((await api.check('safe.box')).status).toBe(202);
  await eventually(async () => {
    const [version] = await api.versions('safe.box');
    expect(version?.version).toEqual({ length: String(CANARY.length) });
  });
  const { number } = created(await api.trigger('open'));
  const build = await buildEnded(TEAM, 'vault', 'open', number);
  expect(build.status).toBe('succeeded');

  const log = await api.log('open', number);
  expect(log).toContain('the word is ***');
  expect(log).toContain(createHash('sha256').update(AWKWARD).digest('hex'));
  expect(log).toContain('and ***');
  const shown = await Promise.all([
    kubectl('get', 'pods,events,cronjobs,jobs,pipelines', '--namespace', TEAM, '-o', 'yaml'),
    kubectl('describe', 'pipelines', '--namespace', TEAM),
    request('GET', `${api.path}/resources/safe.box`).then(({ body }) => body),
  ]);
  for (const text of [log, JSON.stringify(build), ...shown]) {
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(btoa(CANARY));
    for (const line of AWKWARD.split('\n')) expect(text).not.toContain(line);
  }
}, 600_000);

/** Skipped on clusters whose etcd cannot be read. */
const readsEtcd = isEmbedded ? test : test.skip;

readsEtcd(
  'etcd holds the secret value only in Secrets',
  async () => {
    const holders = (await readEtcd('/registry/')).filter(
      ({ value }) => value.includes(CANARY) || value.includes(btoa(CANARY)),
    );
    expect(holders.filter(({ key }) => !key.startsWith('/registry/secrets/'))).toEqual([]);
    expect(holders).not.toEqual([]);
  },
  600_000,
);
