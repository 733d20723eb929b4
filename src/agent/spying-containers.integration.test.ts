import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { shimKey } from '#adapters/process/sealed-frames.ts';
import { AGENT_ENVIRONMENT } from '#domain/build/agent-protocol.ts';
import type { PlanStep } from '#domain/planning/plan.ts';
import { gateway, plan, pod, start, useAgent } from '#testing/agent/agent-under-test.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

/*
 * Services and parallel steps collect everything that they can read while a step in another container has a
 * secret. As in a Pod, containers share the working directory, and each has its own processes and temporary
 * files.
 */

/**
 * Shell functions. `collect` writes every environment, argument, open file and temporary file it can read to
 * a file.
 */
const COLLECT = `collect() {
  {
    env
    cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/maps
    ls -l /proc/[0-9]*/fd /proc/[0-9]*/cwd
    head -c 100000 /proc/1/mem
    find /tmp /var/tmp /dev/shm "$HOME" -xdev -type f -exec cat {} +
    bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT" && echo "reached ""the agent"
  } >"found-by-$1.part" 2>&1 || true
  mv "found-by-$1.part" "found-by-$1"
}
wait_for() { until [ -e "$1" ]; do sleep 0.02; done; }
`;

const SECRETS = { lane: 'l4ne-s3cret', service: 's3rvice-s3cret', later: 'l4ter-s3cret' };

function step(id: string, script: string, more: Partial<PlanStep> = {}): PlanStep {
  const command = { container: 'worker', argv: ['/bin/sh', '-e'], script: COLLECT + script };
  const env = { PORT: String(pod.port), MARK: `mark of ${id}`, ...more.env };
  return { id, kind: 'task', name: id, ...more, env, command };
}

const CONTAINERS = [
  { name: 'worker', pool: 'worker' },
  { name: 'worker-lane-2', pool: 'worker' },
  { name: 'service-1-db', service: 'db' },
];

/** Commands that root runs before the shim starts: they give the container its own temporary files. */
function mountOwnTemporaryFiles(): string {
  const own = ['/tmp', '/var/tmp', '/dev/shm'].map((path) => `mount -t tmpfs -o mode=1777 none ${path}`);
  const keep = ['mount -t tmpfs none /mnt', 'mkdir /mnt/work', `mount --bind ${pod.workdir} /mnt/work`];
  return [...keep, ...own, `mkdir -p ${pod.workdir}`, `mount --bind /mnt/work ${pod.workdir}`].join(' && ');
}

const foundBy = (collector: string): string =>
  readFileSync(join(pod.workdir, `found-by-${collector}`), 'utf8');

test('services and parallel steps read neither keys of the agent, nor the plan, nor secrets of other steps', async () => {
  const service = {
    id: 'service.0',
    name: 'db',
    start: {
      command: {
        container: 'service-1-db',
        argv: ['/bin/sh', '-e'],
        script: `${COLLECT} wait_for holding; collect service; while :; do sleep 0.1; done`,
      },
      env: { PORT: String(pod.port), MARK: 'mark of db', PASSWORD: SECRETS.service },
      staysInForeground: true,
    },
  };
  const holding = 'touch holding; wait_for found-by-lane; wait_for found-by-service; collect itself';
  const steps = [
    step('0.0', holding, { env: { TOKEN: SECRETS.lane } }),
    step('0.1', 'wait_for holding; collect lane'),
  ];
  const work = {
    ...plan([]),
    containers: CONTAINERS,
    services: [service],
    steps: [
      { id: '0', kind: 'parallel' as const, failFast: false, steps },
      step('1', 'collect next'),
      step('2', 'true', { env: { TOKEN: SECRETS.later } }),
    ],
  };
  const agent = await start(work, () => ({
    before: mountOwnTemporaryFiles(),
    environment: { TMPDIR: '/tmp' },
  }));
  expect(await ended(agent)).toBe(0);
  expect(gateway.end).toMatchObject({ outcome: 'succeeded' });

  // Each collector found its own secret. This proves that it would have found other secrets within its reach.
  expect(foundBy('itself')).toContain(SECRETS.lane);
  expect(foundBy('service')).toContain(SECRETS.service);
  const keys = CONTAINERS.map(({ name }) => shimKey(pod.secret, name).toString('hex'));
  const secretsOfAgent = [pod.secret, AGENT_ENVIRONMENT.nonce, ...keys, 'reached the agent'];
  const { lane, service: serviceSecret, later } = SECRETS;
  for (const [collector, mark, secretsOfOthers] of [
    ['service', 'mark of db', [lane, later]],
    ['lane', 'mark of 0.1', [lane, serviceSecret, later]],
    ['itself', 'mark of 0.0', [serviceSecret, later]],
    ['next', 'mark of 1', [lane, serviceSecret, later]],
  ] as const) {
    const text = foundBy(collector);
    expect(text).toContain(mark);
    expect([...secretsOfAgent, ...secretsOfOthers].filter((secret) => text.includes(secret))).toEqual([]);
  }
});
