const BODY = JSON.stringify({ zen: 'A test from the page of the resource.' });

/**
 * Calls a webhook with a test body, signed with the secret as a forge signs. Returns the server's response as
 * a sentence. Uses only the path of the address, because the content security policy forbids other servers.
 */
export async function callWebhook(address: string, secret: string): Promise<string> {
  try {
    const answer = await fetch(new URL(address).pathname, {
      method: 'POST',
      // Forges have no session.
      credentials: 'omit',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'x-hub-signature-256': `sha256=${await signatureOf(BODY, secret)}`,
      },
      body: BODY,
    });
    const text = await answer.text();
    return describeAnswer(answer.status, text.startsWith('{') ? JSON.parse(text).detail : undefined);
  } catch {
    return 'The server did not answer. Check your connection and try again.';
  }
}

export function describeAnswer(status: number, detail: string | undefined): string {
  if (status === 202) return '202: the server accepted the call and requested a check.';
  return `${status}: ${detail ?? 'the server refused the call.'}`;
}

/** HMAC-SHA256 in hexadecimal, as GitHub, Gitea and Forgejo sign. */
export async function signatureOf(body: string, secret: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(body)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
