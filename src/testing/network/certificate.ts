import { webcrypto } from 'node:crypto';

export interface Certificate {
  key: string;
  cert: string;
}

/** Creates a self-signed certificate for a server on the loopback address. */
export async function makeCertificate(name = 'gateway'): Promise<Certificate> {
  await import('reflect-metadata');
  const { SubjectAlternativeNameExtension, X509CertificateGenerator } = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      keys,
      signingAlgorithm: algorithm,
      name: `CN=${name}`,
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 3_600_000),
      extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
    },
    webcrypto,
  );
  const exported = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${exported}\n-----END PRIVATE KEY-----\n`,
  };
}
