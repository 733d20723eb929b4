import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { tar, type TarEntry } from './tar.ts';

const epoch = 1735689600;

async function bytesOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar(entries, epoch)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function file(path: string, text: string, mode = 0o644): TarEntry {
  const bytes = Buffer.from(text);
  return { path, mode, kind: 'file', size: bytes.length, read: () => [bytes] };
}

function listing(archive: Buffer): readonly string[] {
  const args = ['--list', '--verbose', '--numeric-owner', '--utc', '--quoting-style=literal'];
  const lines = execFileSync('tar', args, { input: archive, encoding: 'utf8' }).trimEnd().split('\n');
  return lines.map((line) => line.replaceAll(/ +/g, ' '));
}

describe('a tar archive', () => {
  test('is sorted and has parents, modes, owners and one time, according to GNU tar', async () => {
    const entries: TarEntry[] = [
      file('usr/bin/tool', 'echo', 0o755),
      { path: 'home/me', mode: 0o775, owner: 65532, kind: 'directory' },
      { path: 'usr/bin/alias', mode: 0o777, kind: 'link', target: 'tool' },
    ];
    expect(listing(await bytesOf(entries))).toEqual([
      'drwxr-xr-x 0/0 0 2025-01-01 00:00 home/',
      'drwxrwxr-x 65532/65532 0 2025-01-01 00:00 home/me/',
      'drwxr-xr-x 0/0 0 2025-01-01 00:00 usr/',
      'drwxr-xr-x 0/0 0 2025-01-01 00:00 usr/bin/',
      'lrwxrwxrwx 0/0 0 2025-01-01 00:00 usr/bin/alias -> tool',
      '-rwxr-xr-x 0/0 4 2025-01-01 00:00 usr/bin/tool',
    ]);
  });

  test('has the same bytes for any order of its entries', async () => {
    const [first, second] = [file('a', '1'), file('b', '2')];
    expect(await bytesOf([first, second])).toEqual(await bytesOf([second, first]));
  });

  test.each([0, 1, 511, 512, 513, 2000])('returns a file of %i bytes unchanged', async (size) => {
    const archive = await bytesOf([file('folder/x', 'x'.repeat(size)), file('folder/y', 'end')]);
    const options = { input: archive, encoding: 'utf8' } as const;
    expect(execFileSync('tar', ['-xO', 'folder/x'], options)).toHaveLength(size);
    expect(execFileSync('tar', ['-xO', 'folder/y'], options)).toBe('end');
  });

  test.each([
    ['of 230 bytes', `${'folder/'.repeat(20)}${'n'.repeat(90)}`],
    ['of 300 bytes', `folder/${'n'.repeat(255)}/${'m'.repeat(37)}`],
    ['in another script', 'é/漢.txt'],
  ])('keeps a name %s', async (_, name) => {
    expect(
      execFileSync('tar', ['-xO', name], { input: await bytesOf([file(name, 'x')]), encoding: 'utf8' }),
    ).toBe('x');
  });

  test.each<[string, readonly TarEntry[], string]>([
    ['a path given twice', [file('a', '1'), file('a', '2')], 'a would be in the archive twice'],
    [
      'a file that grew while it was read',
      [{ path: 'a', mode: 0o644, kind: 'file', size: 1, read: () => [Buffer.from('12')] }],
      'a changed while it was read: 1 bytes expected, 2 read',
    ],
  ])('refuses %s', async (_, entries, message) => {
    await expect(bytesOf(entries)).rejects.toThrow(message);
  });
});
