import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { webhookSecret } from '#adapters/crypto/digests.ts';
import { signatureCheck } from './webhook-signature.ts';

const SECRET = webhookSecret(Buffer.alloc(32, 7), 'token');
const BODY = '{"ref":"refs/heads/main"}';
const hex = createHmac('sha256', SECRET).update(BODY).digest('hex');
const KEY = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
const standard = createHmac('sha256', KEY).update(`id-1.1700000000.${BODY}`).digest('base64');
const STANDARD = { 'webhook-id': 'id-1', 'webhook-timestamp': '1700000000' };

function verdict(headers: Record<string, string>, body = BODY): string {
  const check = signatureCheck(headers, () => SECRET);
  for (const letter of body) check.update(Buffer.from(letter));
  return check.verdict();
}

describe('what forges send as a proof', () => {
  test('a secret can be any forge’s: GitLab wants 32 bytes behind whsec_', () => {
    expect([SECRET.slice(0, 6), KEY.length]).toEqual(['whsec_', 32]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['nothing', { 'x-github-event': 'push' }, 'absent'],
    ['a signature with SHA-1 alone, which proves nothing', { 'x-hub-signature': 'sha1=00' }, 'absent'],
    ['GitHub', { 'x-hub-signature-256': `sha256=${hex}` }, 'valid'],
    ['GitHub in capitals', { 'x-hub-signature-256': `SHA256=${hex.toUpperCase()}` }, 'valid'],
    ['GitHub without the name of the algorithm', { 'x-hub-signature-256': hex }, 'invalid'],
    ['Gitea', { 'x-gitea-signature': hex, 'x-hub-signature-256': `sha256=${hex}` }, 'valid'],
    ['Forgejo', { 'x-forgejo-signature': hex, 'x-gitea-signature': hex }, 'valid'],
    [
      'one that is right beside one that is wrong',
      { 'x-forgejo-signature': hex, 'x-gitea-signature': 'ff' },
      'invalid',
    ],
    ['an empty one', { 'x-gitea-signature': '' }, 'invalid'],
    ['GitLab', { 'x-gitlab-token': SECRET }, 'valid'],
    ['GitLab with another secret', { 'x-gitlab-token': `${SECRET}x` }, 'invalid'],
    ['GitLab with a signing token', { ...STANDARD, 'webhook-signature': `v1,${standard}` }, 'valid'],
    ['… while it changes', { ...STANDARD, 'webhook-signature': `v1,AAAA v1,${standard}` }, 'valid'],
    [
      '… of another delivery',
      { ...STANDARD, 'webhook-id': 'id-2', 'webhook-signature': `v1,${standard}` },
      'invalid',
    ],
    ['… without id and time', { 'webhook-signature': `v1,${standard}` }, 'invalid'],
  ])('%s', (_, headers, expected) => {
    expect(verdict(headers)).toBe(expected);
  });

  test.each<[string, Record<string, string>]>([
    ['GitHub', { 'x-hub-signature-256': `sha256=${hex}` }],
    ['Gitea', { 'x-gitea-signature': hex }],
    ['Forgejo', { 'x-forgejo-signature': hex }],
    ['a signing token', { ...STANDARD, 'webhook-signature': `v1,${standard}` }],
  ])('%s: a body that was changed on the way is seen', (_, headers) => {
    expect(verdict(headers, BODY.replace('main', 'mine'))).toBe('invalid');
  });
});
