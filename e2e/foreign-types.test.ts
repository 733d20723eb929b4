import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi, request, type Build } from '#e2e/support/gateway.ts';
import { startGitServer } from '#e2e/support/git-server.ts';
import { apply, kubectl } from '#e2e/support/kubectl.ts';
import { pushFiles } from '#e2e/support/push-files.ts';
import { list } from '#e2e/support/read-objects.ts';
import { loadTypeImages } from '#e2e/support/type-images.ts';
import type { ReachableService } from '#tools/demo/reach.ts';

const TEAM = teamName('e2e-types');
const FORGE = `${TEAM}-forge`;
const TOKEN = 'token-of-the-counter';
const api = pipelineApi(TEAM, 'foreign');
let forge: ReachableService | undefined;

/** Starts a git server with two repositories. Anyone who reaches the server may push. */
async function startForge(): Promise<ReachableService> {
  const reached = await startGitServer(FORGE, ['left', 'right']);
  for (const name of ['left', 'right']) await pushFiles(`${reached.url}/${name}.git`, { [name]: 'begin' });
  return reached;
}

const pipelineOf = (images: ReadonlyMap<string, string>, url: string): string => `
variable "token" {
  type = string
  secret "env" {
    key = "COUNTER_TOKEN"
  }
}
${[...images].map(([type, image]) => `resource_type "${type}" {\n  protocol = "concourse"\n  image    = "${image}"\n}`).join('\n')}

resource "counter" "one" {
  params {
    from   = 1
    to     = 3
    token  = var.token
    labels = ["a", { deep = true }]
  }
}
resource "counter" "two" {
  params {
    from = 7
    to   = 8
  }
}
resource "copy" "image" {}
${['left', 'right'].map((name) => `resource "commits" "${name}" {\n  params {\n    uri = "${url}/${name}.git"\n  }\n}`).join('\n')}

job "through" {
  get "counter" "one" {
    params {
      depth = 1
    }
  }
  get "counter" "two" {}
  task "write" {
    run "shell" {
      cmd = "mkdir made && cat one/number two/number > made/numbers && cat one/environment && echo 8 > made/next"
    }
  }
  put "copy" "image" {
    image           = "made/numbers"
    additional_tags = ["a", 1]
  }
  put "counter" "two" {
    file = "made/next"
    note = "build $BUILD_NUMBER"
  }
}
job "unpack" {
  get "copy" "image" {
    passed  = ["through"]
    trigger = true
  }
  task "read" {
    run "shell" {
      cmd = "cat image/rootfs/file"
    }
  }
}
job "commit" {
  task "write" {
    run "shell" {
      cmd = "echo left > a && echo right > b"
    }
  }
  put "commits" "left" {
    file    = "a"
    message = "to the left"
  }
  put "commits" "right" {
    file    = "b"
    message = "to the right"
  }
  put "commits" "left" {
    file    = "b"
    message = "again"
  }
}
job "read" {
  get "commits" "left" {}
  get "commits" "right" {}
  task "show" {
    run "shell" {
      cmd = "ls left right"
    }
  }
}
`;

async function runJob(
  job: string,
): Promise<{ number: string; steps: NonNullable<Build['steps']>; log: string }> {
  const { number } = created(await api.trigger(job));
  const build = await buildEnded(TEAM, 'foreign', job, number);
  const log = await api.log(job, number);
  if (build.status !== 'succeeded') throw new Error(`${job} ${number}: ${JSON.stringify(build)}\n${log}`);
  return { number, steps: build.steps ?? [], log };
}

async function checkUntilFound(resource: string, count: number): Promise<Record<string, string>[]> {
  await api.check(resource);
  return await eventually(async () => {
    const versions = (await api.versions(resource)).map(({ version }) => version);
    if (versions.length < count) throw new Error(`${resource} has ${JSON.stringify(versions)}`);
    return versions;
  });
}

const embedded = isEmbedded ? describe : describe.skip;

embedded('resource types of Concourse', () => {
  beforeAll(async () => {
    const images = await loadTypeImages(['counter', 'commits', 'copy']);
    await createTeam(TEAM, { secretRef: { name: 'team-secrets' } });
    await apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'team-secrets', namespace: TEAM },
      stringData: { COUNTER_TOKEN: TOKEN },
    });
    forge = await startForge();
    await createPipeline(TEAM, 'foreign', pipelineOf(images, forge.url));
  }, 600_000);
  afterAll(async () => {
    forge?.close();
    await kubectl('delete', 'namespace', FORGE, '--wait=false', '--ignore-not-found');
    await deleteTeam(TEAM);
  }, 600_000);

  test('are checked, and two resources of one type do not see files of each other', async () => {
    const [one, two] = await Promise.all([
      checkUntilFound('counter.one', 3),
      checkUntilFound('counter.two', 2),
    ]);
    expect(new Set(one.map(({ number }) => number))).toEqual(new Set(['1', '2', '3']));
    expect(new Set(two.map(({ number }) => number))).toEqual(new Set(['7', '8']));
  }, 600_000);

  test('get and put, with metadata in the build and no secret anywhere', async () => {
    const { number, steps, log } = await runJob('through');
    const [get] = steps;
    expect(get?.metadata).toEqual(
      expect.arrayContaining([
        { name: 'token', value: '***' },
        { name: 'BUILD_NAME', value: number },
        { name: 'BUILD_JOB_NAME', value: 'through' },
        { name: 'BUILD_PIPELINE_NAME', value: 'foreign' },
        { name: 'BUILD_TEAM_NAME', value: TEAM },
      ]),
    );
    expect(steps.at(-1)?.metadata).toEqual([{ name: 'note', value: `build ${number}` }]);
    expect(log).toContain('signed in with ***');
    const page = await request('GET', `${api.path}/jobs/through/builds/${number}`, { accept: 'text/html' });
    expect(page.body).toContain('About the version of counter.one');
    const pods = await list('pods', '--namespace', TEAM, '--selector', 'millrace.dev/kind=build');
    for (const text of [log, page.body, JSON.stringify(steps), JSON.stringify(pods)])
      expect(text).not.toContain(TOKEN);
    const containers = pods.flatMap(
      ({ spec }) => JSON.stringify(spec).match(/"resource-\d+-[\w-]+"/gu) ?? [],
    );
    expect(new Set(containers)).toContain('"resource-2-counter-two"');
  }, 600_000);

  test('start the next job with the version of a put, and its get unpacks that version', async () => {
    const number = await eventually(async () => {
      const [build] = await api.builds('unpack');
      if (build === undefined) throw new Error('unpack has no build');
      return build.number;
    });
    expect(await buildEnded(TEAM, 'foreign', 'unpack', number)).toMatchObject({ status: 'succeeded' });
    expect(await api.log('unpack', number)).toMatch(/3\n8\n/u);
  }, 600_000);

  test('keep their repositories apart, although all clone into one path of /tmp', async () => {
    await runJob('commit');
    await Promise.all([checkUntilFound('commits.left', 2), checkUntilFound('commits.right', 1)]);
    const { steps, log } = await runJob('read');
    const messages = steps.map(({ metadata = [] }) => metadata.find(({ name }) => name === 'message')?.value);
    expect(messages).toEqual(['again', 'to the right', undefined]);
    expect(log).toMatch(/left:\na\nb\nleft\n\nright:\nb\nright\n/u);
  }, 600_000);
});
