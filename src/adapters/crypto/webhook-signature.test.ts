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

describe('the check of a webhook signature', () => {
  test('generates secrets that every forge accepts: GitLab requires 32 bytes after whsec_', () => {
    expect([SECRET.slice(0, 6), KEY.length]).toEqual(['whsec_', 32]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['no signature', { 'x-github-event': 'push' }, 'absent'],
    ['a signature with SHA-1 alone, which proves nothing', { 'x-hub-signature': 'sha1=00' }, 'absent'],
    ['a GitHub signature', { 'x-hub-signature-256': `sha256=${hex}` }, 'valid'],
    ['a GitHub signature in capitals', { 'x-hub-signature-256': `SHA256=${hex.toUpperCase()}` }, 'valid'],
    ['a GitHub signature without the name of the algorithm', { 'x-hub-signature-256': hex }, 'invalid'],
    ['a Gitea signature', { 'x-gitea-signature': hex, 'x-hub-signature-256': `sha256=${hex}` }, 'valid'],
    ['a Forgejo signature', { 'x-forgejo-signature': hex, 'x-gitea-signature': hex }, 'valid'],
    [
      'a valid signature beside an invalid one',
      { 'x-forgejo-signature': hex, 'x-gitea-signature': 'ff' },
      'invalid',
    ],
    [
      'the empty signatures of a Gitea webhook without a secret',
      { 'x-gitea-signature': '', 'x-hub-signature': 'sha1=', 'x-hub-signature-256': 'sha256=' },
      'absent',
    ],
    [
      'an empty signature beside an invalid one',
      { 'x-gitea-signature': '', 'x-hub-signature-256': 'sha256=00' },
      'invalid',
    ],
    ['an empty GitLab token', { 'x-gitlab-token': '' }, 'invalid'],
    ['a GitLab token', { 'x-gitlab-token': SECRET }, 'valid'],
    ['a GitLab token with another secret', { 'x-gitlab-token': `${SECRET}x` }, 'invalid'],
    ['a GitLab signing token', { ...STANDARD, 'webhook-signature': `v1,${standard}` }, 'valid'],
    [
      'a GitLab signing token during its rotation',
      { ...STANDARD, 'webhook-signature': `v1,AAAA v1,${standard}` },
      'valid',
    ],
    [
      'a GitLab signing token of another delivery',
      { ...STANDARD, 'webhook-id': 'id-2', 'webhook-signature': `v1,${standard}` },
      'invalid',
    ],
    ['a GitLab signing token without id and time', { 'webhook-signature': `v1,${standard}` }, 'invalid'],
  ])('decides about %s', (_, headers, expected) => {
    expect(verdict(headers)).toBe(expected);
  });

  test.each<[string, Record<string, string>]>([
    ['a GitHub signature', { 'x-hub-signature-256': `sha256=${hex}` }],
    ['a Gitea signature', { 'x-gitea-signature': hex }],
    ['a Forgejo signature', { 'x-forgejo-signature': hex }],
    ['a GitLab signing token', { ...STANDARD, 'webhook-signature': `v1,${standard}` }],
  ])('detects a changed body with %s', (_, headers) => {
    expect(verdict(headers, BODY.replace('main', 'mine'))).toBe('invalid');
  });
});
