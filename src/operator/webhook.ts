import { once } from 'node:events';
import type { Server } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Compiler } from '#adapters/hcl/compile.ts';
import { createAdmissionServer } from '#adapters/http/admission/server.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { CertificateAndKey } from '#adapters/kubernetes/secrets/certificates.ts';
import {
  ensureWebhookTls,
  givenWebhookTls,
  type ReleaseSecretsOptions,
} from '#adapters/kubernetes/secrets/release-secrets.ts';
import { trustWebhook } from '#adapters/kubernetes/secrets/trust-webhook.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import type { ObserveRequest } from '#adapters/telemetry/metrics.ts';
import type { WebhookConfig } from '#config';
import { defined } from '#defined';
import { diagnoseManifest } from '#flows/pipelines/diagnose-manifest.ts';
import { compilerFor } from './idle-compiler.ts';
import type { OperatorMetrics } from './metrics.ts';

export interface WebhookOptions {
  config: WebhookConfig;
  client: Pick<ApiClient, 'get' | 'apply'>;
  secrets: ReleaseSecretsOptions;
  compiler: Pick<Compiler, 'compile'>;
  log: Log;
  metrics: Pick<OperatorMetrics, 'reviewed'>;
  observe: ObserveRequest;
  /**
   * How often the certificate, and what the API server knows of it, is looked at; sooner while something is
   * missing.
   */
  lookEveryMs?: number;
  lookAgainMs?: number;
}

const LOOK_EVERY_MS = 60_000;
const LOOK_AGAIN_MS = 5000;
/** While the Service learns that this replica takes no more: the API server still asks, and is answered. */
const DRAIN_MS = 3000;

/** The admission webhook of this replica: it answers as soon as it has a certificate, whoever leads. */
export class Webhook {
  readonly #options: WebhookOptions;
  readonly #server: Server;
  readonly #closing = new AbortController();
  /** Awakes whoever waits for the next look. */
  #hurry = new AbortController();
  #running: Promise<void> | undefined;
  #current: CertificateAndKey | undefined;
  #leading = false;
  #stop: AbortSignal | undefined;
  #trouble: string | undefined;

  constructor(options: WebhookOptions) {
    const { compiler, config, log, metrics, observe } = options;
    this.#options = options;
    this.#server = createAdmissionServer({
      diagnose: (manifest, namespace) => diagnoseManifest(manifest, compilerFor(namespace, compiler)),
      log,
      observe,
      reviewed: (result) => metrics.reviewed(result),
      draining: () => this.#stop?.aborted === true,
      ...defined({ longestMs: config.longestMs }),
    });
  }

  /** It serves until `close`; the signal says that this is near. */
  start(stop: AbortSignal): void {
    this.#stop = stop;
    this.#running = this.#run();
  }

  /** From now on this replica also tells the API server by which authority it knows all of them. */
  lead(): void {
    this.#leading = true;
    this.#hurry.abort();
  }

  /** Undefined when this replica can answer, else why not. */
  notReady(): string | undefined {
    if (this.#server.listening) return undefined;
    return 'The admission webhook has no certificate yet (Secret webhook-tls of the release).';
  }

  async close(): Promise<void> {
    const drains = this.#stop?.aborted === true && this.#stop.reason !== 'SIGINT';
    if (drains && this.#server.listening) await sleep(DRAIN_MS);
    this.#closing.abort();
    await this.#running;
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeIdleConnections();
    await closed;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { lookEveryMs = LOOK_EVERY_MS, lookAgainMs = LOOK_AGAIN_MS } = this.#options;
    while (!signal.aborted) {
      this.#hurry = new AbortController();
      const awake = AbortSignal.any([signal, this.#hurry.signal]);
      const done = await this.#look();
      await sleep(done ? lookEveryMs : lookAgainMs, undefined, { signal: awake }).catch(() => undefined);
    }
  }

  /** Answers whether everything is as it should be. */
  async #look(): Promise<boolean> {
    const { secrets, config } = this.#options;
    try {
      if (config.certificate === 'cert-manager') await this.#use(await givenWebhookTls(secrets));
      else await this.#useOwn();
      this.#trouble = undefined;
      return this.#server.listening;
    } catch (error) {
      this.#tell(error);
      return false;
    }
  }

  async #useOwn(): Promise<void> {
    const { client, secrets, log } = this.#options;
    const tls = await ensureWebhookTls(secrets);
    await this.#use(tls);
    if (!this.#leading) return;
    const told = await trustWebhook(client, secrets.release, tls.authority);
    if (told === 'written') log.info('the API server knows the authority of the admission webhook');
  }

  /** The same trouble once, not at each try. */
  #tell(error: unknown): void {
    const trouble = error instanceof Error ? error.message : String(error);
    const level = trouble === this.#trouble ? 'debug' : 'warn';
    this.#trouble = trouble;
    this.#options.log[level](
      { err: error },
      'the admission webhook is not as it should be; it is tried again',
    );
  }

  /** Takes a certificate into use, a renewed one without a restart. */
  async #use(pair: CertificateAndKey | undefined): Promise<void> {
    if (pair === undefined) return;
    const { certificate: cert, key } = pair;
    if (this.#current?.certificate === cert && this.#current.key === key) return;
    this.#server.setSecureContext({ cert, key, minVersion: 'TLSv1.3' });
    if (!this.#server.listening) {
      const listening = once(this.#server, 'listening');
      this.#server.listen(this.#options.config.listen);
      await listening;
    }
    this.#current = { certificate: cert, key };
    this.#options.log.info('the admission webhook has a certificate');
  }
}
