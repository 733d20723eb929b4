import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityProblems, keyboardProblems } from '#testing/browser/accessibility.ts';
import { EVIL, openSettingsSite, type SettingsSite } from '#testing/browser/settings-site.ts';
import { openPerson, takePictures } from '#testing/browser/site.ts';
import { ORIGIN } from '#testing/gateway/gateway-under-test.ts';

/*
 * The pages for global admins in a browser, with every form. If PICTURES names a folder, screenshots go
 * there.
 */
// The limit only ends tests that hang: on a slow machine, a page can take long.
jest.setTimeout(600_000);

let site: SettingsSite;
let page: Page;
let complaints: string[];
let close: () => Promise<void>;

beforeAll(async () => {
  // The identity provider warns about each default setting.
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSettingsSite();
});
beforeEach(async () => {
  const person = await openPerson(site.browser, ORIGIN);
  ({ page, complaints } = person);
  page.on('dialog', (dialog) => {
    complaints.push(`a script ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  close = async () => await person.context.close();
});
afterEach(async () => {
  await close();
  expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
});
afterAll(async () => {
  await site.close();
});

const headingText = async (): Promise<string> => await page.locator('h1').innerText();
const currentPath = (): string => new URL(page.url()).pathname;
const mainText = async (): Promise<string> => await page.locator('main').innerText();
const press = async (name: string): Promise<void> =>
  await page.getByRole('button', { name, exact: true }).click();
const follow = async (name: string): Promise<void> =>
  await page.getByRole('link', { name, exact: true }).click();
const waitForText = async (place: string, words: string): Promise<void> =>
  await page.locator(place).filter({ hasText: words }).first().waitFor();
const field = (label: string) => page.getByRole('textbox', { name: label, exact: true });

/** The message beside an invalid field: the last element that describes the field. */
async function problemBeside(label: string): Promise<string> {
  const invalidField = page.getByLabel(label, { exact: true }).and(page.locator('[aria-invalid]'));
  await invalidField.waitFor();
  const id = (await invalidField.getAttribute('aria-describedby'))?.split(' ').at(-1);
  return await page.locator(`[id="${id}"]`).innerText();
}

/** Checks the accessibility of the page and stores a screenshot. */
async function checkPage(name: string): Promise<void> {
  await takePictures(page, name);
  expect(await accessibilityProblems(page)).toEqual([]);
  // A date field has parts that take the focus and show it themselves, so pages with one are not checked.
  const dateFields = await page.locator('input[type=date]:visible').count();
  if (dateFields === 0) expect(await keyboardProblems(page)).toEqual([]);
}

async function open(url: string, user = 'root'): Promise<void> {
  await site.signIn(page, user);
  await page.goto(url);
}

describe('accounts', () => {
  test('are found, created, changed, and deleted after a confirmation', async () => {
    await open('/users');
    await page.getByRole('searchbox').fill('MA');
    await press('Search');
    await page.waitForURL(/search=MA/);
    expect(await page.locator('tbody th').allInnerTexts()).toEqual(['mai']);
    await follow('Show all');
    await page.getByText('Create an account').click();
    await field('Username').fill('New One');
    await field('Full name').fill(EVIL);
    await page.getByLabel('First password').fill('a long first phrase');
    await press('Create account');
    expect(await problemBeside('Username')).toContain('lower-case letters');
    expect([
      await field('Full name').inputValue(),
      await page.getByLabel('First password').inputValue(),
    ]).toEqual([EVIL, '']);
    await field('Username').fill('newone');
    await page.getByLabel('First password').fill('password');
    await press('Create account');
    expect(await problemBeside('First password')).toMatch(/too common|must not be the word/);
    await page.getByLabel('First password').fill('a long first phrase');
    await press('Create account');
    await page.waitForURL('**/users/newone');
    expect(await mainText()).toContain('they must change it at the next sign-in');
    await checkPage('account');
    await field('Full name').fill('New One');
    await press('Save');
    await page.waitForURL('**/users/newone');
    await page.getByLabel('Password', { exact: true }).fill('12345678');
    await press('Set password');
    expect(await problemBeside('Password')).toContain('too common');
    await checkPage('account-refused');
    await press('Disable');
    await waitForText('main', 'The account is disabled');
    await press('Enable');
    await waitForText('main', 'To lock the account');
    await press('Make global admin');
    await waitForText('main', 'Remove global admin');
    await press('Delete account…');
    await waitForText('h1', 'Delete the account newone?');
    await checkPage('account-deletion');
    await press('Delete newone');
    await page.waitForURL('**/users');
    expect(await mainText()).not.toContain('newone');
    await checkPage('accounts');
  });

  test('keep the last global admin', async () => {
    await open('/users/root');
    await press('Remove global admin');
    await waitForText('[role=alert]', 'They are the last global admin');
    await checkPage('last-global-admin');
  });
});

describe('sign-in', () => {
  test('shows the fields of a preset, keeps what was entered, and never shows a secret', async () => {
    await open('/admin/oauth-providers');
    expect(await mainText()).toContain('People can sign in with a password.');
    await checkPage('sign-in-settings');
    await follow('Add a provider');
    await checkPage('presets');
    await follow('GitHub');
    await field('Name').fill('Not Valid');
    await field('Display name').fill(EVIL);
    await field('Client ID').fill('abc');
    await page.getByLabel('Client secret').fill('hunter2-secret');
    await field('Token address').fill('http://plain.example.org');
    await press('Add provider');
    expect(await problemBeside('Name')).toBe('This value is not allowed here.');
    expect([
      await field('Display name').inputValue(),
      await page.getByLabel('Client secret').inputValue(),
    ]).toEqual([EVIL, '']);
    expect(await page.content()).not.toContain('hunter2-secret');
    await checkPage('provider-refused');
    await field('Name').fill('forge');
    await page.getByLabel('Client secret').fill('hunter2-secret');
    await press('Add provider');
    expect(await problemBeside('Token address')).toContain('must be a URL');
    await field('Token address').fill('https://github.com/login/oauth/access_token');
    await page.getByLabel('Client secret').fill('hunter2-secret');
    await press('Add provider');
    await page.waitForURL('**/admin/oauth-providers/forge');
    expect(await page.content()).not.toContain('hunter2-secret');
    await checkPage('provider');
    await field('Token address').fill('https://other.example.org/token');
    await press('Save');
    expect(await problemBeside('Client secret')).toContain('send client_secret again');
    await field('Token address').fill('https://github.com/login/oauth/access_token');
    await field('Display name').fill('Forge');
    await page.getByLabel('Enabled').uncheck();
    await press('Save');
    await page.waitForURL('**/admin/oauth-providers');
    expect(await page.locator('tr', { hasText: 'Forge' }).innerText()).toContain('disabled');
    await follow('Forge');
    expect(await page.getByLabel('Enabled').isChecked()).toBe(false);
    await press('Delete provider…');
    await waitForText('h1', 'Delete the provider forge?');
    await press('Delete forge');
    await page.waitForURL('**/admin/oauth-providers');
    expect(await mainText()).not.toContain('Forge');
  });

  test('cannot be changed if a manifest manages the provider', async () => {
    await open('/admin/oauth-providers/company');
    expect(await mainText()).toContain(
      'A manifest manages this provider. Change the OAuthProvider object company',
    );
    expect([await headingText(), await page.locator('main form').count()]).toEqual([EVIL, 0]);
    await checkPage('provider-by-manifest');
  });

  test('by password cannot be turned off while an account has no other way to sign in', async () => {
    await open('/admin/oauth-providers');
    await press('Turn passwords off');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('cannot sign in with any enabled provider');
  });
});

describe('teams', () => {
  test('are listed with what they use, created and deleted', async () => {
    await open('/admin/teams');
    expect(await page.locator('tr', { hasText: 'fixed' }).innerText()).toMatch(/0 of 3/);
    await field('Name').fill('kube-x');
    await field('Display name').fill(EVIL);
    await press('Create team');
    expect(await problemBeside('Name')).toContain('reserved for the cluster');
    expect(await field('Display name').inputValue()).toBe(EVIL);
    await checkPage('teams-refused');
    await field('Name').fill('shop');
    await press('Create team');
    await page.waitForURL('**/teams/shop/members');
    expect(await headingText()).toBe(`Members of ${EVIL}`);
    await page.goto('/teams/shop/settings');
    await press('Delete team…');
    await press('Delete team shop');
    await page.waitForURL('**/teams');
    await page.goto('/admin/teams');
    expect(await mainText()).not.toContain('shop');
    await checkPage('admin-teams');
  });
});

test('the audit log of the installation has sign-ins and accounts, and is filtered by the same form', async () => {
  await open('/admin/audit?action=user.signed_in');
  const actions = await page.locator('tbody tr td:nth-child(3)').allInnerTexts();
  expect([...new Set(actions)]).toEqual(['user.signed_in']);
  await follow('Show all');
  await page.waitForURL('**/admin/audit');
  await checkPage('admin-audit');
});

test('a new API token is shown once, with a button that copies it', async () => {
  await open('/profile');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByText('Create a token').click();
  await field('Name').fill('copied');
  await press('Create token');
  const token = await page.getByLabel('Token').inputValue();
  await press('Copy');
  await waitForText('[role=status]', 'Copied.');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
  await checkPage('new-token');
  await page.goto('/profile');
  expect(await page.content()).not.toContain(token);
  await page.getByText('Create a token').click();
  await field('Name').fill('copied');
  await page.getByLabel('Valid until').fill('2090-01-31');
  await press('Create token');
  expect(await problemBeside('Name')).toBe(
    'You have a token of this name. Choose another name, or delete that token first.',
  );
  expect(await page.getByLabel('Valid until').inputValue()).toBe('2090-01-31');
  await checkPage('token-refused');
});

const PAGES = [
  '/admin',
  '/users',
  '/users/adm',
  '/admin/oauth-providers',
  '/admin/oauth-providers/presets',
  '/admin/teams',
  '/admin/audit',
];

test.each(['adm', 'eve'])('%s, who is not a global admin, may open none of the pages', async (user) => {
  await open('/profile', user);
  expect(await page.locator('a[href="/admin"]').count()).toBe(0);
  for (const url of PAGES) {
    await page.goto(url);
    expect([url, await headingText()]).toEqual([url, 'You may not do this']);
  }
});

test('the pages redirect to the login without a session, and a global admin finds them in the header', async () => {
  for (const url of PAGES) {
    await page.goto(url);
    expect([url, currentPath()]).toEqual([url, '/auth/login']);
  }
  await open('/teams');
  await follow('Installation');
  await waitForText('h1', 'All teams');
  for (const section of ['Accounts', 'Sign-in', 'Audit log']) {
    await page
      .getByRole('navigation', { name: 'Installation', exact: true })
      .getByRole('link', { name: section })
      .click();
    await page.locator('[aria-current=page]', { hasText: section }).first().waitFor();
  }
});
