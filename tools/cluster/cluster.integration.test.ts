import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { binaryPath, foldersFrom } from './folders.ts';
import { writeImage } from './images.ts';
import { adminKubeconfig } from './pki.ts';
import { run } from './run.ts';

/*
 * Runs on the embedded cluster in a separate namespace, and starts the cluster if needed. The test stops no
 * part, so other programs may use the cluster at the same time.
 */
const image = 'localhost/cluster-test:1';
const namespace = `cluster-test-${process.pid}`;
const minutes = 60_000;
/** Only ends a test that hangs. */
const TIMEOUT = '--timeout=9m';
const folders = foldersFrom(process.env);
const main = join(import.meta.dirname, 'main.ts');
const embedded = process.env['CLUSTER'] === 'existing' ? describe.skip : describe;

const restricted = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
};

function kubectl(...args: string[]): Promise<string> {
  return run(binaryPath(folders, 'kubectl'), [
    '--kubeconfig',
    adminKubeconfig(folders),
    '-n',
    namespace,
    ...args,
  ]);
}

function apply(object: object): Promise<string> {
  const args = ['--kubeconfig', adminKubeconfig(folders), '-n', namespace, 'apply', '-f', '-'];
  return run(binaryPath(folders, 'kubectl'), args, { input: JSON.stringify(object) });
}

function container(name: string, script: string, fields: object = {}): object {
  return {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['bash', '-c', script],
    securityContext: restricted,
    ...fields,
  };
}

function podSpec(containers: readonly object[], fields: object = {}): object {
  return {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers,
    ...fields,
  };
}

async function runPod(name: string, spec: object): Promise<string> {
  await apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: name } }, spec });
  await kubectl('wait', `pod/${name}`, '--for=jsonpath={.status.phase}=Succeeded', TIMEOUT);
  return kubectl('logs', name, '--all-containers');
}

/** busybox for the common commands; bash because busybox, linked statically, cannot look up names. */
async function fillImage(root: string): Promise<void> {
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  mkdirSync(join(root, 'bin'));
  copyFileSync('/bin/busybox', join(root, 'usr/bin/busybox'));
  await run('/bin/busybox', ['--install', '-s', join(root, 'bin')]);
  await run('sh', ['-c', 'for link in "$0"/bin/*; do ln -sf /usr/bin/busybox "$link"; done', root]);
  const libraries = (await run('ldd', ['/bin/bash'])).match(/\/\S+/g) ?? [];
  for (const file of ['/bin/bash', ...libraries]) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    copyFileSync(file, join(root, file));
  }
}

/** A script that requests a page until it is served, for some minutes at most. */
function requestScript(host: string, port: number): string {
  const request = `exec 3<>/dev/tcp/${host}/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
  return `for i in $(seq 1000); do (${request}) 2>/dev/null && break; sleep 0.2; done`;
}

async function untilReady(name: string): Promise<void> {
  await kubectl('wait', `pod/${name}`, '--for=condition=Ready', TIMEOUT);
}

async function eventually<T>(find: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; ; tries++) {
    const found = await find();
    if (found !== undefined) {
      return found;
    }
    if (tries === 3000) {
      throw new Error('nothing was found within five minutes');
    }
    await sleep(100);
  }
}

embedded('the embedded cluster', () => {
  beforeAll(async () => {
    await run(process.execPath, [main, 'up']);
    const scratch = mkdtempSync(join(tmpdir(), 'cluster-test-'));
    const tar = join(scratch, 'image.tar');
    await writeImage(tar, {
      name: image,
      fill: fillImage,
      entrypoint: ['/bin/sh'],
      user: '1000:1000',
    });
    await run(process.execPath, [main, 'load', tar]);
    rmSync(scratch, { recursive: true });
    await apply({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
    await eventually(
      async () => (await kubectl('get', 'serviceaccounts', '-o', 'name')).includes('default') || undefined,
    );
  }, 30 * minutes);

  afterAll(async () => {
    await kubectl('delete', 'namespace', namespace, '--wait=true', TIMEOUT);
  }, 10 * minutes);

  test(
    'a Pod with a restricted security context runs, and its log can be read',
    async () => {
      expect(
        await runPod('restricted', podSpec([container('main', 'id -u; grep Seccomp: /proc/self/status')])),
      ).toMatch(/^1000\nSeccomp:\s+2\n$/);
    },
    10 * minutes,
  );

  test(
    "admission refuses a Pod that breaks the namespace's rules",
    async () => {
      const spec = { containers: [{ name: 'main', image, securityContext: { privileged: true } }] };
      await expect(
        apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'refused' }, spec }),
      ).rejects.toThrow(/violates PodSecurity "restricted/);
    },
    10 * minutes,
  );

  test(
    'a Service responds under its name and its address, from a Pod and from this machine',
    async () => {
      const serve =
        'mkdir -p /tmp/www && echo served > /tmp/www/index.html && exec httpd -f -p 8080 -h /tmp/www';
      const scratch = { volumes: [{ name: 'scratch', emptyDir: {} }] };
      const mounts = { volumeMounts: [{ name: 'scratch', mountPath: '/tmp' }] };
      await apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'server', labels: { app: 'server' } },
        spec: podSpec([container('main', serve, mounts)], scratch),
      });
      await apply({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web' },
        spec: { selector: { app: 'server' }, ports: [{ port: 80, targetPort: 8080 }] },
      });
      await untilReady('server');
      const address = await kubectl('get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}');
      const hosts = ['web', `web.${namespace}.svc.cluster.local`, address];
      const script = hosts.map((host) => requestScript(host, 80)).join('; ');
      const log = await runPod('asks', podSpec([container('main', script)]));
      expect(log.match(/^served$/gm)).toHaveLength(3);
      expect(await fetchText(`http://${address}/`)).toBe('served\n');
    },
    10 * minutes,
  );

  test(
    'a Pod reaches the API server under its DNS name',
    async () => {
      const script = requestScript('kubernetes.default.svc', 443);
      expect(await runPod('asks-api', podSpec([container('main', script)]))).toContain(
        'HTTP request to an HTTPS server',
      );
    },
    10 * minutes,
  );

  test(
    'a Job that was created from a CronJob runs',
    async () => {
      await apply({
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'nightly' },
        spec: {
          schedule: '0 3 * * *',
          jobTemplate: { spec: { template: { spec: podSpec([container('main', 'echo ran')]) } } },
        },
      });
      await kubectl('create', 'job', 'by-hand', '--from=cronjob/nightly');
      await kubectl('wait', 'job/by-hand', '--for=condition=Complete', TIMEOUT);
      expect(await kubectl('logs', 'job/by-hand')).toBe('ran\n');
    },
    10 * minutes,
  );

  test.each([
    ['with fsGroup belongs to the group', { fsGroup: 2000 }, /^drwxrwsrwx\s+\d+\s+0\s+2000 /],
    ['without fsGroup is open to everyone', {}, /^drwxrwxrwx\s+\d+\s+0\s+0 /],
  ])(
    'a claimed volume %s, user 1000 can write it, and it is kept between Pods and deleted with its claim',
    async (_, group, listing) => {
      const name = 'fsGroup' in group ? 'grouped' : 'open';
      await apply({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      const security = {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      };
      const podWithVolume = (script: string): object =>
        podSpec([container('main', script, { volumeMounts: [{ name: 'data', mountPath: '/data' }] })], {
          securityContext: { ...security, ...group },
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
        });
      expect(
        await runPod(`${name}-writes`, podWithVolume('ls -ldn /data && echo kept > /data/file')),
      ).toMatch(listing);
      expect(await runPod(`${name}-reads`, podWithVolume('cat /data/file'))).toBe('kept\n');
      const volume = await kubectl('get', 'pvc', name, '-o', 'jsonpath={.spec.volumeName}');
      await kubectl('delete', 'pod', `${name}-writes`, `${name}-reads`);
      await kubectl('delete', 'pvc', name);
      await kubectl('wait', `pv/${volume}`, '--for=delete', TIMEOUT);
      await expect(run('ls', [join(folders.state, 'volumes', volume)])).rejects.toThrow(/No such file/);
    },
    10 * minutes,
  );

  test(
    'a native sidecar starts before the container and ends after it',
    async () => {
      const say = 'say() { read -r at rest < /proc/uptime; echo "$at $1"; }';
      const waits = `${say}; trap "say end; exit 0" TERM; say begin; touch /begun/it; while :; do sleep 0.1; done`;
      // Without a probe the container may begin before the sidecar's first line.
      const startupProbe = {
        exec: { command: ['test', '-e', '/begun/it'] },
        periodSeconds: 1,
        failureThreshold: 600,
      };
      const volumeMounts = [{ name: 'begun', mountPath: '/begun' }];
      const sidecar = container('sidecar', waits, { restartPolicy: 'Always', startupProbe, volumeMounts });
      const spec = podSpec([container('main', `${say}; say main`)], {
        initContainers: [sidecar],
        volumes: [{ name: 'begun', emptyDir: {} }],
        terminationGracePeriodSeconds: 300,
      });
      // kubectl may show the logs of two containers in any order.
      const lines = (await runPod('sidecar', spec)).trim().split('\n');
      const byTime = lines.toSorted((a, b) => Number.parseFloat(a) - Number.parseFloat(b));
      expect(byTime.map((line) => line.split(' ')[1])).toEqual(['begin', 'main', 'end']);
    },
    10 * minutes,
  );

  test(
    'an image can be mounted as a volume',
    async () => {
      const mounts = { volumeMounts: [{ name: 'tools', mountPath: '/tools' }] };
      const volumes = [{ name: 'tools', image: { reference: image, pullPolicy: 'IfNotPresent' } }];
      const script = '/tools/usr/bin/busybox echo from the volume';
      expect(await runPod('image-volume', podSpec([container('main', script, mounts)], { volumes }))).toBe(
        'from the volume\n',
      );
    },
    10 * minutes,
  );

  test(
    'exec and port-forward reach a Pod',
    async () => {
      const serve = 'while :; do echo -e "HTTP/1.0 200 OK\\r\\n\\r\\nforwarded" | nc -l -p 8080; done';
      await apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'inside' },
        spec: podSpec([container('main', serve)]),
      });
      await untilReady('inside');
      expect(await kubectl('exec', 'inside', '--', 'hostname')).toBe('inside\n');
      // Waits until the Pod listens on port 8080, because a forward ends when a connection is refused.
      const listens = "until grep -q ':1F90 .* 0A ' /proc/net/tcp /proc/net/tcp6; do sleep 0.1; done";
      await kubectl('exec', 'inside', '--', 'sh', '-c', listens);
      const forward = spawn(binaryPath(folders, 'kubectl'), [
        '--kubeconfig',
        adminKubeconfig(folders),
        '-n',
        namespace,
        'port-forward',
        'pod/inside',
        ':8080',
      ]);
      try {
        const port = await new Promise<string>((resolve, reject) => {
          forward.on('exit', () => reject(new Error('port-forward ended')));
          let output = '';
          forward.stdout.on('data', (text: Buffer) => {
            output += text.toString();
            const found = /127\.0\.0\.1:(\d+) /.exec(output)?.[1];
            if (found !== undefined) {
              resolve(found);
            }
          });
        });
        expect(await fetchText(`http://127.0.0.1:${port}/`)).toContain('forwarded');
      } finally {
        forward.kill();
      }
    },
    10 * minutes,
  );

  test(
    'the API server shows its request counts',
    async () => {
      expect(await kubectl('get', '--raw', '/metrics')).toMatch(/^apiserver_request_total\{/m);
    },
    10 * minutes,
  );

  test.each(['system:anonymous', 'nobody'])(
    'the API server refuses its request counts to %s, who has no rights',
    async (user) => {
      await expect(kubectl('get', '--raw', '/metrics', `--as=${user}`)).rejects.toThrow(/Forbidden/);
    },
    10 * minutes,
  );

  test('an unknown part is refused with the names of the known parts', async () => {
    const outcome = await new Promise<string>((resolve) => {
      execFile(process.execPath, [main, 'start', 'kublet'], (_, __, stderr) => resolve(stderr));
    });
    expect(outcome).toMatch(/There is no part "kublet"; there are etcd, containerd, kube-apiserver/);
  });
});

function fetchText(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, timeout: 5000 }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve(body));
    });
    request.on('error', reject);
  });
}
