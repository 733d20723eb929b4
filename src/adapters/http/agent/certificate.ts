import { hkdfSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import { join } from 'node:path';

/** What a TLS listener is made from. */
export interface TlsCertificate {
  cert: string;
  key: string;
  minVersion: 'TLSv1.3';
  /**
   * Equal in every replica, so that an agent's second connection resumes whichever replica answers; new with
   * each certificate.
   */
  ticketKeys: Buffer;
}

const LOOK_EVERY_MS = 10_000;

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
  /** The one that the server was made with. */
  first: TlsCertificate;
  renewed(): void;
  failed(error: unknown): void;
}

/**
 * Takes a renewed certificate into use without a restart; connections that stand keep the old one. A pair
 * that cannot be used (half written, or not belonging together) is left, and looked at again. Returns how to
 * stop.
 */
export function followCertificate(server: Server, watch: CertificateWatch): () => void {
  let current = watch.first;
  const look = async (): Promise<void> => {
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
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
