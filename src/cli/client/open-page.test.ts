import { tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';
import { millrace } from '#testing/cli/command-line.ts';

const environment = {
  XDG_CONFIG_HOME: tmpdir(),
  MILLRACE_URL: 'https://ci.example.org',
  MILLRACE_TOKEN: 'tok_secret',
};

const withoutBrowser = async (): Promise<void> => {
  throw new Error('xdg-open is not installed');
};

test.each([
  ['open', '/teams/main/pipelines'],
  ['open app --team shop', '/teams/shop/pipelines/app'],
  ['open app/unit', '/teams/main/pipelines/app/jobs/unit/builds'],
  ['open app/unit/7.1', '/teams/main/pipelines/app/jobs/unit/builds/7.1'],
  ['open app/unit#7', '/teams/main/pipelines/app/jobs/unit/builds/7'],
])('`millrace %s` prints the address and opens it', async (line, path) => {
  const opened: string[] = [];
  const openBrowser = async (address: string): Promise<void> => void opened.push(address);
  const ran = await millrace(`millrace ${line}`, { environment, openBrowser });
  expect(ran).toMatchObject({ exit: 0, out: `https://ci.example.org${path}\n`, err: '' });
  expect(opened).toEqual([`https://ci.example.org${path}`]);
});

test('`millrace open --print` opens no browser', async () => {
  const ran = await millrace('millrace open app --print', { environment, openBrowser: withoutBrowser });
  expect(ran).toMatchObject({ exit: 0, out: 'https://ci.example.org/teams/main/pipelines/app\n' });
});

test('`millrace open` prints the address even if no browser can be opened', async () => {
  const ran = await millrace('millrace open app', { environment, openBrowser: withoutBrowser });
  expect(ran).toMatchObject({
    exit: 2,
    out: 'https://ci.example.org/teams/main/pipelines/app\n',
    err: 'millrace: no browser could be opened (xdg-open is not installed): open the address yourself\n',
  });
});
