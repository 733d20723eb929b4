import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accessibilityProblems, keyboardProblems } from '#testing/browser/accessibility.ts';
import { EVIL, openSettingsSite, PEOPLE, type SettingsSite } from '#testing/browser/settings-site.ts';
import { openPerson, takePictures } from '#testing/browser/site.ts';
import { ORIGIN } from '#testing/gateway/gateway-under-test.ts';

/* The settings of a team in a browser, with every form. If PICTURES names a folder, screenshots go there. */
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
/** Presses a button, then the button with the same name on the page that asks for a confirmation. */
async function pressAndConfirm(name: string, question = `${name}?`): Promise<void> {
  await press(name);
  await waitForText('h1', question);
  await press(name);
}
const waitForText = async (place: string, words: string): Promise<void> =>
  await page.locator(place).filter({ hasText: words }).first().waitFor();

/** The message beside an invalid field: the last element that describes the field. */
async function problemBeside(label: string): Promise<string> {
  const field = page.getByLabel(label, { exact: true }).and(page.locator('[aria-invalid]'));
  await field.waitFor();
  const id = (await field.getAttribute('aria-describedby'))?.split(' ').at(-1);
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

async function open(user: string, url: string): Promise<void> {
  await site.signIn(page, user);
  await page.goto(url);
}

describe('members', () => {
  test('are added, given another role, and removed after a confirmation', async () => {
    await open('adm', '/teams/main/members');
    await page.getByLabel('Username').fill('nobody');
    await page.getByLabel('Role', { exact: true }).selectOption('maintain');
    await press('Add member');
    expect(await problemBeside('Username')).toBe('User nobody does not exist.');
    expect([
      await page.getByLabel('Username').inputValue(),
      await page.getByLabel('Role', { exact: true }).inputValue(),
    ]).toEqual(['nobody', 'maintain']);
    await checkPage('members-refused');
    await page.getByLabel('Username').fill('eve');
    await press('Add member');
    await waitForText('tr', 'eve');
    await page.getByLabel('Role of eve', { exact: true }).selectOption('read');
    await press('Change the role of eve');
    await waitForText('tr', 'eve');
    expect(await page.getByLabel('Role of eve', { exact: true }).inputValue()).toBe('read');
    await checkPage('members');
    await press('Remove eve');
    await waitForText('h1', 'Remove eve?');
    await checkPage('member-removal');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await waitForText('tr', 'eve');
    await pressAndConfirm('Remove eve');
    await waitForText('h1', 'Members of main');
    expect(await page.locator('tbody').first().innerText()).not.toContain('eve');
  });

  test('keep the last admin, and the page says so beside the field', async () => {
    await open('adm', '/teams/main/members');
    await page.getByLabel('Role of adm', { exact: true }).selectOption('read');
    await press('Change the role of adm');
    expect(await problemBeside('Role of adm')).toContain('last admin of this team');
    expect(await page.getByLabel('Role of adm', { exact: true }).inputValue()).toBe('read');
    await pressAndConfirm('Remove adm');
    expect(await page.getByRole('alert').innerText()).toContain('last admin of this team');
  });

  test('can also be the groups of a provider', async () => {
    await open('adm', '/teams/main/members');
    await page.getByText('Add a group').click();
    await page.getByLabel('Group', { exact: true }).fill(EVIL);
    await press('Add group');
    await waitForText('#groups ~ .scroll', EVIL);
    await page.getByText('Add a group').click();
    await page.getByLabel('Group', { exact: true }).fill(EVIL);
    await press('Add group');
    expect(await problemBeside('Group')).toContain('is named twice. Remove one.');
    await checkPage('groups');
    await press(`Remove the group ${EVIL}`);
    await waitForText('main', 'No group gives a role yet.');
  });

  test('cannot be changed if a manifest sets them, and the page names the object to change', async () => {
    await open('fix', '/teams/fixed/members');
    const text = await mainText();
    expect(text).toContain(
      'A manifest sets the members of this team. Change spec.members of the Team object',
    );
    expect(text).toContain('A manifest sets the groups of this team.');
    expect(await page.locator('main form').count()).toBe(0);
    expect(await headingText()).toBe(`Members of ${EVIL}`);
    await checkPage('members-by-manifest');
  });
});

describe('secrets', () => {
  test.each(['/teams/main/secrets', '/teams/main/pipelines/app/secrets'])(
    'at %s are set and deleted, and no page shows a value',
    async (url) => {
      await open('mai', url);
      await page.getByLabel('Name', { exact: true }).fill('not a name');
      await page.getByLabel('Value', { exact: true }).fill('hunter2');
      await press('Set secret');
      expect(await problemBeside('Name')).toContain('begins with a letter');
      expect([
        await page.getByLabel('Name', { exact: true }).inputValue(),
        await page.getByLabel('Value', { exact: true }).inputValue(),
      ]).toEqual(['not a name', '']);
      expect(await page.content()).not.toContain('hunter2');
      await page.getByLabel('Name', { exact: true }).fill('TOKEN');
      await page.getByLabel('Value', { exact: true }).fill('hunter2\nsecond line');
      await press('Set secret');
      await waitForText('tr', 'TOKEN');
      expect(await page.content()).not.toContain('hunter2');
      expect(await page.locator('tr', { hasText: 'TOKEN' }).innerText()).toContain('mai');
      await page.getByLabel('Name', { exact: true }).fill('TOKEN');
      await page.getByLabel('Value', { exact: true }).fill('public');
      await page.getByLabel('Kind').selectOption('plain');
      await press('Set secret');
      expect(await problemBeside('Kind')).toContain('TOKEN is stored as secret');
      await checkPage(`secrets${url.length}`);
      await press('Delete TOKEN');
      await waitForText('h1', 'Delete the secret TOKEN?');
      await press('Delete TOKEN');
      await waitForText('main', 'No secrets are stored here yet.');
    },
  );

  test('are stored with their line breaks, even if they are long', async () => {
    await open('mai', '/teams/main/secrets');
    const value = `${'é'.repeat(15_000)}\n${EVIL}`;
    await page.getByLabel('Name', { exact: true }).fill('PLAIN');
    await page.getByLabel('Value', { exact: true }).fill(value);
    await page.getByLabel('Kind').selectOption('plain');
    await press('Set secret');
    await waitForText('tr', 'PLAIN');
    const stored = await site.stores.access.secrets.secrets({ team: 'main' });
    expect(stored?.find(({ name }) => name === 'PLAIN')?.value).toBe(value);
    await pressAndConfirm('Delete PLAIN', 'Delete the secret PLAIN?');
    await waitForText('main', 'No secrets are stored here yet.');
  });
});

describe('the audit log', () => {
  test('is filtered by person, action and time, and has pages', async () => {
    const at = new Date('2027-01-31T12:00:00Z');
    const entry = { team: 'main', targetType: 'team', target: EVIL, action: 'team.updated', at };
    for (let index = 0; index < 60; index += 1)
      await site.stores.access.audit.record({ ...entry, actor: 'paging', details: { display_name: EVIL } });
    await open('rea', '/teams/main/audit');
    await page.getByLabel('Who').fill('paging');
    await page.getByLabel('From (UTC)').fill('2027-01-31');
    await page.getByLabel('To (UTC)').fill('2027-01-31');
    await press('Filter');
    await page.getByRole('link', { name: 'Show all' }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(50);
    expect(await page.locator('tbody tr').first().innerText()).toContain(`display name: ${EVIL}`);
    await page.getByRole('link', { name: 'Older entries' }).click();
    await page.waitForURL(/before=/);
    expect([await page.locator('tbody tr').count(), await page.getByLabel('Who').inputValue()]).toEqual([
      10,
      'paging',
    ]);
    await checkPage('audit');
    await page.getByLabel('Action').fill('member.added');
    await press('Filter');
    await waitForText('main', 'No entry matches.');
    await page.goto('/teams/main/audit?since=yesterday');
    expect(await problemBeside('From (UTC)')).toBe('Enter a day like 2027-01-31.');
  });
});

describe('the general settings', () => {
  test('change the display name, which is text on every page', async () => {
    await open('adm', '/teams/main/settings');
    await page.getByRole('textbox', { name: 'Display name' }).fill(EVIL);
    await press('Save');
    await waitForText('h1', `Settings of ${EVIL}`);
    await checkPage('settings');
    for (const url of [
      '/teams',
      '/teams/main',
      '/teams/main/members',
      '/teams/main/secrets',
      '/teams/main/audit',
    ])
      await page.goto(url);
    await page.goto('/teams/main/settings');
    await page.getByRole('textbox', { name: 'Display name' }).fill('');
    await press('Save');
    await waitForText('h1', 'Settings of main');
  });

  test('allow and forbid shells in running steps', async () => {
    await open('adm', '/teams/main/settings');
    expect(await mainText()).toContain('Shells are not allowed.');
    await press('Allow shells');
    await page.getByText('Shells are allowed.').waitFor();
    await checkPage('settings-with-shells');
    await press('Forbid shells');
    await page.getByText('Shells are not allowed.').waitFor();
  });

  test('show limits, workers and use, and name the object to change if a manifest sets the limits', async () => {
    await open('fix', '/teams/fixed/settings');
    const text = await mainText();
    expect(text).toMatch(/Running builds\s+0\s+3/);
    expect(text).toContain('1 h 30 min');
    expect(text).toContain('1 MiB');
    expect(text).toMatch(/without tags\s+any label, without taints\s+2/);
    expect(text).toMatch(/gpu\s+pool=.*alert\(1\)>\s+none: builds wait/);
    expect(text).toContain('Delete the Team object fixed');
    expect(await page.locator('main form').count()).toBe(0);
    await checkPage('settings-by-manifest');
  });

  test('ask for a confirmation before they delete a team, and do not delete one with pipelines', async () => {
    await open('root', '/teams/main/settings');
    await press('Delete team…');
    await waitForText('h1', 'Delete team main?');
    await checkPage('team-deletion');
    await press('Delete team main');
    expect(await page.getByRole('alert').innerText()).toContain('One pipeline is left in the team');
  });
});

test('every form works without scripts', async () => {
  await close();
  const context = await site.browser.newContext({
    ignoreHTTPSErrors: true,
    baseURL: ORIGIN,
    javaScriptEnabled: false,
  });
  context.setDefaultTimeout(300_000);
  close = async () => await context.close();
  page = await context.newPage();
  await open('adm', '/teams/main/members');
  await page.getByLabel('Username').fill('eve');
  await press('Add member');
  await page.getByLabel('Role of eve', { exact: true }).selectOption('maintain');
  await press('Change the role of eve');
  await pressAndConfirm('Remove eve');
  await waitForText('h1', 'Members of main');
  expect(await page.locator('tbody').first().innerText()).not.toContain('eve');
});

const PAGES = ['settings', 'members', 'secrets', 'pipelines/app/secrets', 'audit'];

describe('a person', () => {
  test.each(Object.entries(PEOPLE))('(%s) sees only forms that the role %s allows', async (user, role) => {
    await site.signIn(page, user);
    const pagesWithForms: string[] = [];
    for (const settingsPage of PAGES) {
      await page.goto(`/teams/main/${settingsPage}`);
      const forms = await page.locator('main form[method=post]').count();
      if (forms > 0) pagesWithForms.push(settingsPage);
    }
    const expected = {
      admin: ['settings', 'members', 'secrets', 'pipelines/app/secrets'],
      maintain: ['secrets', 'pipelines/app/secrets'],
      write: [],
      read: [],
    };
    expect(pagesWithForms).toEqual(expected[role]);
  });

  test('without a role sees none of the pages', async () => {
    await site.signIn(page, 'eve');
    for (const settingsPage of PAGES) {
      await page.goto(`/teams/main/${settingsPage}`);
      expect([settingsPage, await headingText()]).toEqual([settingsPage, 'You may not do this']);
    }
  });

  test('who is signed out is redirected to the sign-in page', async () => {
    for (const settingsPage of PAGES) {
      await page.goto(`/teams/main/${settingsPage}`);
      expect([settingsPage, currentPath()]).toEqual([settingsPage, '/auth/login']);
    }
  });

  test('with the role read is refused each form that the pages do not show them', async () => {
    await open('rea', '/profile');
    const token = await page.locator('input[name=csrf_token]').first().inputValue();
    for (const [url, form] of [
      ['/teams/main/members', { username: 'eve', role: 'admin' }],
      ['/teams/main/members/adm', { role: 'read' }],
      ['/teams/main/members/adm/delete', { confirmed: 'yes' }],
      ['/teams/main/secrets', { name: 'A', value: 'b' }],
      ['/teams/main/settings', { display_name: 'x' }],
      ['/teams/main/settings/shells', { debug: 'yes' }],
      ['/teams/main/groups', { claim: 'x', role: 'admin' }],
      ['/teams/main/delete', { confirmed: 'yes' }],
    ] as const) {
      const body = new URLSearchParams({ ...form, csrf_token: token }).toString();
      const status = await page.evaluate(
        async ([to, text]) => {
          const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
          return (await fetch(to, { method: 'POST', headers, body: text })).status;
        },
        [url, body] as const,
      );
      expect([url, status]).toEqual([url, 403]);
    }
  });
});
