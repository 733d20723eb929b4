import { once } from 'node:events';
import type { Server } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HclCompiler } from '#adapters/hcl/compile.ts';
import { createAdmissionServer } from '#adapters/http/admission/server.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import type { CertificateAndKey } from '#adapters/kubernetes/secrets/certificates.ts';
import {
  ensureWebhookTls,
  certManagerWebhookTls,
  type ReleaseSecretsOptions,
} from '#adapters/kubernetes/secrets/release-secrets.ts';
import { trustWebhook } from '#adapters/kubernetes/secrets/trust-webhook.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import type { ObserveRequest } from '#adapters/telemetry/metrics.ts';
import type { WebhookConfig } from '#config';
import { defined } from '#defined';
import { diagnoseManifest } from '#flows/pipelines/diagnose-manifest.ts';
import type { OperatorMetrics } from './metrics.ts';
import { compilerFor } from './on-demand-compiler.ts';

export interface WebhookOptions {
  config: WebhookConfig;
  client: Pick<ApiClient, 'get' | 'apply'>;
  secrets: ReleaseSecretsOptions;
  compiler: Pick<HclCompiler, 'compile'>;
  log: Log;
  metrics: Pick<OperatorMetrics, 'reviewed'>;
  observe: ObserveRequest;
  /**
   * How often the certificate and the API server's configuration are checked. After a failure, or while there
   * is no certificate, `retryMs` applies.
   */
  checkEveryMs?: number;
  retryMs?: number;
}

const CHECK_EVERY_MS = 60_000;
const RETRY_MS = 5000;
/**
 * Time for the Service to remove this replica from its endpoints. Meanwhile, the replica still answers
 * reviews.
 */
const DRAIN_MS = 3000;

/** The admission webhook of this replica. It serves as soon as it has a certificate, even on a standby. */
export class AdmissionWebhook {
  readonly #options: WebhookOptions;
  readonly #server: Server;
  readonly #closing = new AbortController();
  /** Ends the wait for the next check. */
  #wake = new AbortController();
  #running: Promise<void> | undefined;
  #current: CertificateAndKey | undefined;
  #leading = false;
  #stop: AbortSignal | undefined;
  #lastError: string | undefined;

  constructor(options: WebhookOptions) {
    const { compiler, config, log, metrics, observe } = options;
    this.#options = options;
    this.#server = createAdmissionServer({
      diagnose: (manifest, namespace) => diagnoseManifest(manifest, compilerFor(namespace, compiler)),
      log,
      observe,
      reviewed: (result) => metrics.reviewed(result),
      draining: () => this.#stop?.aborted === true,
      ...defined({ maxReviewMs: config.maxReviewMs }),
    });
  }

  /** Serves until `close`. The signal announces that the process stops. */
  start(stop: AbortSignal): void {
    this.#stop = stop;
    this.#running = this.#run();
  }

  /**
   * From now on, this replica also writes the certificate authority of all replicas to the webhook
   * configuration in the API server. Has no effect if cert-manager issues the certificate.
   */
  lead(): void {
    this.#leading = true;
    this.#wake.abort();
  }

  /** Why this replica cannot answer; undefined if it can. */
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
    const { checkEveryMs = CHECK_EVERY_MS, retryMs = RETRY_MS } = this.#options;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const awake = AbortSignal.any([signal, this.#wake.signal]);
      const isServing = await this.#check();
      await sleep(isServing ? checkEveryMs : retryMs, undefined, { signal: awake }).catch(() => undefined);
    }
  }

  /** Updates the certificate, and logs errors. Returns whether this succeeded and the webhook serves. */
  async #check(): Promise<boolean> {
    const { secrets, config } = this.#options;
    try {
      if (config.certificate === 'cert-manager') await this.#use(await certManagerWebhookTls(secrets));
      else await this.#useOwnCertificate();
      this.#lastError = undefined;
      return this.#server.listening;
    } catch (error) {
      this.#logError(error);
      return false;
    }
  }

  async #useOwnCertificate(): Promise<void> {
    const { client, secrets, log } = this.#options;
    const tls = await ensureWebhookTls(secrets);
    await this.#use(tls);
    if (!this.#leading) return;
    const answer = await trustWebhook(client, secrets.release, tls.authority);
    if (answer === 'written')
      log.info('the API server has the certificate authority of the admission webhook');
  }

  /** Logs an error as a warning once, and as debug while it repeats. */
  #logError(error: unknown): void {
    const message = Error.isError(error) ? error.message : String(error);
    const level = message === this.#lastError ? 'debug' : 'warn';
    this.#lastError = message;
    this.#options.log[level](
      { err: error },
      'the certificate of the admission webhook could not be updated; the operator tries again',
    );
  }

  /** Serves with this certificate. A renewed certificate needs no restart. */
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
