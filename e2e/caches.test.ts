import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  releaseSteps,
  teamName,
  UNTIL_RELEASED,
} from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { apply, kubectl } from '#e2e/support/kubectl.ts';
import { list } from '#e2e/support/read-objects.ts';

const TEAM = teamName('e2e-caches');

/** A type whose commands print what earlier commands left in the cache, and add a line to the cache. */
const TYPE = `
resource_type "counter" {
  cache = true
  check "shell" {
    cmd = <<-EOT
      echo check >>"$CACHE_DIR/lines"
      echo "[{\\"lines\\": \\"$(wc -l <"$CACHE_DIR/lines")\\"}]"
    EOT
  }
  pull "shell" {
    cmd = <<-EOT
      if [ -z "$\${CACHE_DIR-}" ]; then echo 'without a cache'; exit 0; fi
      echo "cache: $CACHE_DIR has $(cat "$CACHE_DIR/lines" 2>/dev/null | wc -l) lines"
      echo pull >>"$CACHE_DIR/lines"
      if [ "$param_waits" = yes ]; then until ${UNTIL_RELEASED}; do sleep 0.5; done; fi
    EOT
  }
  params = ["waits"]
}
`;

const jobOf = (name: string): string => `
job "${name}" {
  get "counter" "one" {}
  task "see" {
    run "shell" {
      cmd = "echo task: $\${CACHE_DIR-unset}"
    }
  }
}
`;

const pipelineOf = (waits: 'yes' | 'no'): string => `${TYPE}
resource "counter" "one" {
  params {
    waits = "${waits}"
  }
}
${jobOf('first')}
${jobOf('second')}
`;

/** A pipeline that only puts: a put needs no version, so the resource is never checked. */
const STORE = `
resource_type "store" {
  cache = true
  push "shell" {
    cmd = <<-EOT
      echo "push: $\${CACHE_DIR-unset}" >&2
      echo '{"n": "1"}'
    EOT
  }
}
resource "store" "one" {}
job "publish" {
  put "store" "one" {}
}
`;

/** A job with a cache. Its step prints what it found in the cache, and succeeds if the input says so. */
const MODULES = `
job "test" {
  input "succeed" {
    type    = bool
    default = true
  }
  cache "modules" {
    path = "modules"
    key  = "modules-$BUILD_NUMBER"
  }
  task "install" {
    run "shell" {
      cmd = <<-EOT
        echo "found: $(cat modules/list 2>/dev/null || echo nothing)"
        mkdir -p modules
        echo "of build $BUILD_NUMBER" >modules/list
        [ "$INPUT_SUCCEED" = true ]
      EOT
    }
  }
}
`;

const CACHE = { size: '16Mi' };

beforeAll(async () => {
  await createTeam(TEAM, { cache: CACHE });
  await createPipeline(TEAM, 'cached', pipelineOf('no'));
}, 600_000);

afterAll(async () => await deleteTeam(TEAM), 600_000);

const api = pipelineApi(TEAM, 'cached');

async function check(pipeline: ReturnType<typeof pipelineApi>): Promise<void> {
  await pipeline.check('counter.one');
  await eventually(async () => expect(await pipeline.versions('counter.one')).not.toEqual([]));
}

async function run(job: string): Promise<string> {
  const { number } = created(await api.trigger(job));
  expect(await buildEnded(TEAM, 'cached', job, number)).toMatchObject({ status: 'succeeded', attempt: 1 });
  return await api.log(job, number);
}

test('a resource finds what its check and its earlier builds left in its cache, and tasks do not see it', async () => {
  const folder = `/home/millrace/.cache/millrace/cache/${TEAM}/cached/counter.one`;
  await check(api);
  const first = await run('first');
  expect(first).toContain(`cache: ${folder} has 1 lines`);
  expect(first).toContain('task: unset');
  expect(await run('second')).toContain(`cache: ${folder} has 2 lines`);
  const claims = await list('persistentvolumeclaims', '--namespace', TEAM);
  expect(claims).toHaveLength(1);
  expect(claims[0]?.metadata.ownerReferences).toMatchObject([{ kind: 'Pipeline', name: 'cached' }]);
}, 600_000);

test('a job finds what its last successful build saved under a key with the same prefix', async () => {
  await createPipeline(TEAM, 'modules', MODULES);
  const modules = pipelineApi(TEAM, 'modules');
  const found: string[] = [];
  for (const succeed of [true, false, true]) {
    const { number } = created(await modules.post('jobs/test/trigger', { inputs: { succeed } }));
    const status = succeed ? 'succeeded' : 'failed';
    expect(await buildEnded(TEAM, 'modules', 'test', number)).toMatchObject({ status });
    found.push((await modules.log('test', number)).match(/found: (.+)/)?.[1] ?? '');
  }
  expect(found).toEqual(['nothing', 'of build 1', 'of build 1']);
}, 600_000);

test('a build that finds the cache in use starts without it, and its log says which build uses it', async () => {
  await createPipeline(TEAM, 'busy', pipelineOf('yes'));
  const busy = pipelineApi(TEAM, 'busy');
  await check(busy);
  const slow = created(await busy.trigger('first'));
  await eventually(async () => expect((await busy.build('first', slow.number)).status).toBe('started'));
  const other = created(await busy.trigger('second'));
  await buildEnded(TEAM, 'busy', 'second', other.number);
  const log = await busy.log('second', other.number);
  expect(log).toContain(`counter.one has no cache in this build: build ${slow.number} of job first uses it.`);
  expect(log).toContain('without a cache');
  expect((await busy.build('first', slow.number)).status).toBe('started');
  await releaseSteps(TEAM, 'busy');
  expect(await buildEnded(TEAM, 'busy', 'first', slow.number)).toMatchObject({ status: 'succeeded' });
}, 600_000);

test('a build whose cache volume is never ready runs without the volume after 20 s, as its next attempt', async () => {
  const unbound = { size: '16Mi', storageClassName: 'nobody-provides-this' };
  await apply({
    apiVersion: 'millrace.dev/v1alpha1',
    kind: 'Team',
    metadata: { name: TEAM },
    spec: { cache: unbound },
  });
  await createPipeline(TEAM, 'stuck', STORE);
  const stuck = pipelineApi(TEAM, 'stuck');
  const { number } = created(await stuck.trigger('publish'));
  const build = await buildEnded(TEAM, 'stuck', 'publish', number);
  expect(build).toMatchObject({ status: 'succeeded', attempt: 2 });
  const log = await stuck.log('publish', number);
  expect(log).toContain('the volume was not ready in time, so the Pod was replaced.');
  expect(log).toContain('push: unset');
}, 600_000);

test('deleting a pipeline deletes the volumes of its caches', async () => {
  await kubectl('delete', 'pipeline', 'cached', '--namespace', TEAM, '--timeout=9m');
  await eventually(async () => {
    const claims = await list('persistentvolumeclaims', '--namespace', TEAM);
    expect(claims.filter(({ metadata }) => metadata.labels?.['millrace.dev/pipeline'] === 'cached')).toEqual(
      [],
    );
  });
}, 600_000);
