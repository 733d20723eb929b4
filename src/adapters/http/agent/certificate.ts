import { hkdfSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import { join } from 'node:path';

/** The options of a TLS listener. */
export interface TlsCertificate {
  cert: string;
  key: string;
  minVersion: 'TLSv1.3';
  /**
   * Keys that encrypt TLS session tickets, derived from the private key. All replicas with the same
   * certificate have the same keys, so an agent that connects again can resume its TLS session on any of
   * them.
   */
  ticketKeys: Buffer;
}

const RELOAD_INTERVAL_MS = 10_000;

/** Reads `tls.crt` and `tls.key` from a folder, such as a mounted Secret. */
export async function readCertificate(directory: string): Promise<TlsCertificate> {
  const [cert, key] = await Promise.all([
    readFile(join(directory, 'tls.crt'), 'utf8'),
    readFile(join(directory, 'tls.key'), 'utf8'),
  ]);
  const ticketKeys = Buffer.from(hkdfSync('sha256', key, '', 'millrace session tickets', 48));
  return { cert, key, minVersion: 'TLSv1.3', ticketKeys };
}

export interface CertificateWatch {
  directory: string;
  /** The certificate that the server was created with. */
  initial: TlsCertificate;
  /** Called after the server has switched to a renewed certificate. */
  renewed(): void;
  /**
   * Called if the files cannot be read, or if the server refuses them, for example because certificate and
   * key do not match.
   */
  failed(error: unknown): void;
}

/**
 * Reads the certificate every ten seconds, and uses a renewed one without a restart. Open connections keep
 * the old one. If certificate and key do not match, for example because only one of them has been written
 * yet, the next read tries again. Returns a function that stops the reads.
 */
export function followCertificate(server: Server, watch: CertificateWatch): () => void {
  let current = watch.initial;
  const reload = async (): Promise<void> => {
    try {
      const next = await readCertificate(watch.directory);
      if (next.cert === current.cert && next.key === current.key) return;
      server.setSecureContext(next);
      current = next;
      watch.renewed();
    } catch (error) {
      watch.failed(error);
    }
  };
  const timer = setInterval(() => void reload(), RELOAD_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
