import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureAuthority, ensureCertificate, pairAt } from '#tools/cluster/certificates.ts';
import { binaryPath, foldersFrom } from '#tools/cluster/folders.ts';

const TOKEN = 'measure';
const READY_MS = 60_000;

/**
 * An etcd and an API server on loopback, with the programs of the embedded cluster. Scenarios may kill the
 * API server.
 */
export class ThrowAwayServer {
  readonly kubeconfig: string;
  readonly address: { host: string; port: string };
  readonly #folder: string;
  readonly #ports: { etcd: number; peer: number; api: number };
  readonly #children: ChildProcess[] = [];
  #api: ChildProcess | undefined;

  private constructor(folder: string, ports: { etcd: number; peer: number; api: number }) {
    this.#folder = folder;
    this.#ports = ports;
    this.kubeconfig = join(folder, 'kubeconfig');
    this.address = { host: '127.0.0.1', port: String(ports.api) };
  }

  /** Writes files only into the folder; no process outlives `stop`. */
  static async start(folder: string): Promise<ThrowAwayServer> {
    const [etcd = 0, peer = 0, api = 0] = await freePorts(3);
    const server = new ThrowAwayServer(folder, { etcd, peer, api });
    await server.#writeFiles();
    server.#startEtcd();
    try {
      await server.startApi();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  async startApi(): Promise<void> {
    const { etcd, api } = this.#ports;
    this.#api = this.#spawn('kube-apiserver', {
      // The API server refuses to advertise a loopback address. Nothing connects to this address.
      'advertise-address': '198.18.0.1',
      'endpoint-reconciler-type': 'none',
      'bind-address': '127.0.0.1',
      'secure-port': api,
      'etcd-servers': `http://127.0.0.1:${etcd}`,
      'service-cluster-ip-range': '198.19.0.0/16',
      'token-auth-file': join(this.#folder, 'tokens.csv'),
      'authorization-mode': 'RBAC',
      'tls-cert-file': join(this.#folder, 'api.crt'),
      'tls-private-key-file': join(this.#folder, 'api.key'),
      'service-account-issuer': 'https://measure.invalid',
      'service-account-signing-key-file': join(this.#folder, 'tokens.key'),
      'service-account-key-file': join(this.#folder, 'tokens.pub'),
    });
    const end = performance.now() + READY_MS;
    while (!(await this.#ready())) {
      if (performance.now() > end) throw new Error(`The API server was not ready; see ${this.#folder}.`);
      await sleep(100);
    }
  }

  /** Sends SIGKILL and waits until the process has ended. */
  async killApi(): Promise<void> {
    if (this.#api === undefined) return;
    const exited = once(this.#api, 'exit');
    this.#api.kill('SIGKILL');
    await exited;
    this.#api = undefined;
  }

  /** Compacts etcd's history up to now, so that no watch can continue from an earlier revision. */
  async compact(): Promise<void> {
    const range: { header?: { revision?: string } } = await this.#askEtcd('range', { key: 'AA==' });
    const revision = range.header?.revision;
    if (revision === undefined) throw new Error('etcd returned no revision.');
    await this.#askEtcd('compaction', { revision, physical: true });
  }

  async stop(): Promise<void> {
    await this.killApi();
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  }

  async #writeFiles(): Promise<void> {
    const authority = pairAt(this.#folder, 'ca');
    await ensureAuthority(authority, 'measure');
    await ensureCertificate(authority, pairAt(this.#folder, 'api'), {
      name: 'kube-apiserver',
      hosts: ['127.0.0.1', 'localhost'],
    });
    const keys = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    writeFileSync(join(this.#folder, 'tokens.key'), keys.privateKey, { mode: 0o600 });
    writeFileSync(join(this.#folder, 'tokens.pub'), keys.publicKey);
    writeFileSync(join(this.#folder, 'token'), TOKEN, { mode: 0o600 });
    writeFileSync(join(this.#folder, 'tokens.csv'), `${TOKEN},measure,measure,system:masters\n`, {
      mode: 0o600,
    });
    const cluster = {
      server: `https://127.0.0.1:${this.#ports.api}`,
      'certificate-authority-data': readFileSync(authority.certificate).toString('base64'),
    };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'measure', cluster }],
      users: [{ name: 'measure', user: { token: TOKEN } }],
      contexts: [{ name: 'measure', context: { cluster: 'measure', user: 'measure' } }],
      'current-context': 'measure',
    };
    writeFileSync(this.kubeconfig, JSON.stringify(config), { mode: 0o600 });
  }

  #startEtcd(): void {
    const client = `http://127.0.0.1:${this.#ports.etcd}`;
    const peer = `http://127.0.0.1:${this.#ports.peer}`;
    const etcd = this.#spawn('etcd', {
      name: 'measure',
      'data-dir': join(this.#folder, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `measure=${peer}`,
      'log-level': 'warn',
    });
    this.#children.push(etcd);
  }

  #spawn(binary: string, flags: Record<string, string | number | boolean>): ChildProcess {
    const log = openSync(join(this.#folder, `${binary}.log`), 'a');
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const child = spawn(binaryPath(foldersFrom(process.env), binary), args, { stdio: ['ignore', log, log] });
    child.on('error', () => {
      console.error(`${binary} is not in the cache; run \`node tools/cluster/main.ts build\` first.`);
    });
    closeSync(log);
    return child;
  }

  async #ready(): Promise<boolean> {
    if (this.#api === undefined || this.#api.exitCode !== null) {
      throw new Error(`The API server ended at once; see ${join(this.#folder, 'kube-apiserver.log')}.`);
    }
    const { Agent, request } = await import('undici');
    const dispatcher = new Agent({
      connect: { ca: readFileSync(pairAt(this.#folder, 'ca').certificate, 'utf8') },
    });
    try {
      const answer = await request(`https://127.0.0.1:${this.#ports.api}/readyz`, {
        dispatcher,
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      await answer.body.dump();
      return answer.statusCode === 200;
    } catch {
      return false;
    } finally {
      await dispatcher.destroy();
    }
  }

  async #askEtcd<T>(operation: string, body: unknown): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${this.#ports.etcd}/v3/kv/${operation}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const value: T = JSON.parse(await answer.text());
    if (!answer.ok)
      throw new Error(`etcd answered ${answer.status} to ${operation}: ${JSON.stringify(value)}`);
    return value;
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports: number[] = [];
  for (const server of servers) {
    if (!server.listening) await once(server, 'listening');
    const address: AddressInfo | string | null = server.address();
    if (address !== null && typeof address === 'object') ports.push(address.port);
  }
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  return ports;
}
