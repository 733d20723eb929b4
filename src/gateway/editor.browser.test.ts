import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { createCompiler } from '#adapters/hcl/compile.ts';
import type { Role } from '#domain/access/roles.ts';
import type { PipelineObjects } from '#flows/pipelines/object-ports.ts';
import { accessibilityProblems } from '#testing/browser/accessibility.ts';
import { openPerson, openSite, picture, sendSignInForm } from '#testing/browser/site.ts';
import { NO_OBJECTS, openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { InMemoryPipelines } from '#testing/kubernetes/in-memory-pipelines.ts';
import { toSave, type TestStores } from '#testing/stores/stores.ts';

/*
 * The editor of pipelines in a real browser: a real gateway with Postgres and the HCL engine, and objects in
 * memory that an imitated operator applies at once. PICTURES=<folder> takes pictures of what it looks like.
 */

const PICTURES = jest.requireActual<{ env: Record<string, string | undefined> }>('node:process').env[
  'PICTURES'
];
const NEW = '/teams/main/new-pipeline';
const DEFINITION = '/teams/main/pipelines/app/definition';
const PASSWORD = 'correct horse battery';

const APP = `resource "git" "app" {
  params {
    url  = "https://git.example.org/app.git"
    name = "app"
  }
}

job "unit" {
  get "git" "app" {
    trigger = true
  }
  task "test" {
    run "shell" {
      cmd = "make test"
    }
  }
}
`;

const world = new InMemoryPipelines();
const compiler = createCompiler({ processes: 1 });
let site: Awaited<ReturnType<typeof openSite<Gateway>>>;

/** Saves the revision as the operator does, and says that the object is ready. */
async function operate({ pipelines }: TestStores, name: string, config: string): Promise<void> {
  const { pipeline } = await compiler.compile(config, {});
  if (pipeline === undefined) throw new Error('The test wrote an invalid pipeline.');
  const uid = `uid of ${name}`;
  await pipelines.savePipeline(toSave(pipeline, { pipeline: name, uid, config, digest: config }));
  const known = world.stored.get(`main/${name}`);
  if (known !== undefined) known.verdict = { ready: true, reason: 'Ready', message: 'It runs.' };
}

function operated(stores: TestStores): PipelineObjects {
  return {
    ...world.objects,
    async create(object, by) {
      const made = await world.objects.create(object, by);
      if (made.answer === 'done') await operate(stores, object.name, object.spec.config);
      return made;
    },
    async replace(read, spec, by) {
      const written = await world.objects.replace(read, spec, by);
      if (written.answer === 'done') await operate(stores, read.name, spec.config);
      return written;
    },
  };
}

beforeAll(async () => {
  for (const loud of ['info', 'warn'] as const) jest.spyOn(console, loud).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, async (stores, options) => {
    const objects = { ...NO_OBJECTS, pipelines: operated(stores) };
    return await openGateway(stores, { ...options, compiler, objects });
  });
  const { stores, gateway } = site;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  world.add({ namespace: 'main', name: 'app', spec: { config: APP } });
  await operate(stores, 'app', APP);
  world.add({ namespace: 'main', name: 'declared', spec: { config: APP } }, false);
  await operate(stores, 'declared', APP);
  const roles: Record<string, Role> = { mia: 'maintain', wim: 'write' };
  for (const [name, role] of Object.entries(roles))
    await gateway.account(name, { teams: { main: role }, password: PASSWORD });
});
afterAll(async () => {
  await compiler.close();
  await site.close();
});

async function signedIn(path: string, as = 'mia', scripts = true) {
  const { browser } = site;
  const { page, context, complaints } = scripts
    ? await openPerson(browser, ORIGIN)
    : await withoutScripts(browser);
  context.setDefaultTimeout(60_000);
  await page.goto(path);
  await sendSignInForm(page, as, PASSWORD);
  await page.waitForURL(`**${path}`);
  return { page, complaints, close: async () => await context.close() };
}

async function withoutScripts(browser: Browser) {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    baseURL: ORIGIN,
    javaScriptEnabled: false,
  });
  return { page: await context.newPage(), context, complaints: [] };
}

const editor = (page: Page) => page.getByRole('textbox', { name: 'Text of the pipeline' });
const problems = (page: Page) => page.getByRole('region', { name: 'Problems' });

/** Replaces the text in the editor, as pasting does. */
async function paste(page: Page, text: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

test('someone creates a pipeline, and sees errors and the graph as they type', async () => {
  const { page, complaints, close } = await signedIn(NEW);
  await problems(page).getByText('The text is valid.').waitFor();
  await page.getByRole('img', { name: 'Graph of the text' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await picture(page, 'editor-new', PICTURES);

  await page.getByLabel('Name').fill('fresh');
  await paste(page, APP.replace('cmd =', 'cdm ='));
  const place = problems(page).getByRole('button', { name: /^line 14, column/ });
  await place.first().waitFor();
  await page.getByRole('img', { name: 'Graph of the last valid text' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await picture(page, 'editor-errors', PICTURES);
  await place.first().click();
  expect(await page.locator('.cm-activeLine').innerText()).toContain('cdm =');
  expect(await page.locator('.cm-lint-marker-error').count()).toBeGreaterThan(0);

  await paste(page, APP);
  await problems(page).getByText('The text is valid.').waitFor();
  await page.getByRole('button', { name: 'Create the pipeline' }).click();
  await page.getByRole('link', { name: 'Open the pipeline' }).click();
  await page.waitForURL('**/teams/main/pipelines/fresh');
  expect(world.stored.get('main/fresh')?.spec.config).toBe(APP);
  expect(complaints).toEqual([]);
  await close();
});

test('the editor completes names from the schema of the language', async () => {
  const { page, complaints, close } = await signedIn(DEFINITION);
  await paste(page, '');
  await page.keyboard.type('resou');
  const options = page.locator('.cm-tooltip-autocomplete li');
  await options.filter({ hasText: 'resource_type' }).waitFor();
  expect(await options.first().innerText()).toContain('resource');
  await page.waitForTimeout(200);
  await page.keyboard.press('Enter');
  await page.keyboard.type('gi');
  await options.filter({ hasText: 'github-check' }).waitFor();
  await picture(page, 'editor-completion', PICTURES);
  expect(await editor(page).innerText()).toContain('resource "gi" "name" {');
  expect(complaints).toEqual([]);
  await close();
});

test('someone compares a change with the text that runs, and saves it', async () => {
  const { page, complaints, close } = await signedIn('/teams/main/pipelines/app');
  await page.getByRole('link', { name: 'Definition' }).click();
  await page.waitForURL(`**${DEFINITION}`);
  await paste(page, APP.replace('make test', 'make all'));
  await page.getByRole('button', { name: 'Review changes' }).click();
  const changes = page.getByRole('region', { name: 'Your changes' });
  await changes.getByText('Removed:       cmd = "make test"').waitFor();
  await changes.getByText('Added:       cmd = "make all"').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await picture(page, 'editor-changes', PICTURES);

  const dialog = page.waitForEvent('dialog');
  const left = page.goto('/teams');
  const asked = await dialog;
  expect(asked.type()).toBe('beforeunload');
  await asked.dismiss();
  await expect(left).rejects.toThrow();

  await page.getByRole('button', { name: 'Save these changes' }).click();
  await page.getByText('The text is saved, and the pipeline runs it.').waitFor();
  expect(world.stored.get('main/app')?.spec.config).toContain('make all');
  await page.getByRole('link', { name: 'Open the pipeline' }).click();
  await page.waitForURL('**/teams/main/pipelines/app');
  expect(complaints).toEqual([]);
  await close();
});

test('a change that someone else made meanwhile is not lost', async () => {
  const { page, complaints, close } = await signedIn(DEFINITION);
  await paste(page, APP.replace('make test', 'make mine'));
  const read = await world.objects.read({ namespace: 'main', name: 'app' });
  if (read.answer !== 'done') throw new Error(read.answer);
  await world.objects.replace(read.value, { config: APP.replace('make test', 'make theirs') }, 'bob');
  await operate(site.stores, 'app', APP.replace('make test', 'make theirs'));
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('button', { name: 'Save these changes' }).click();
  await page.getByText('was changed by someone else').waitFor();
  await page.getByText('Removed:       cmd = "make theirs"').waitFor();
  await picture(page, 'editor-conflict', PICTURES);
  expect(world.stored.get('main/app')?.spec.config).toContain('make theirs');
  await page.getByRole('button', { name: 'Save these changes' }).click();
  await page.getByText('The text is saved, and the pipeline runs it.').waitFor();
  expect(world.stored.get('main/app')?.spec.config).toContain('make mine');
  expect(complaints).toEqual([]);
  await close();
});

test('the text of a pipeline of a manifest can only be read', async () => {
  const { page, complaints, close } = await signedIn('/teams/main/pipelines/declared/definition');
  await page.getByText('A manifest manages this pipeline').waitFor();
  expect(await editor(page).innerText()).toContain('make test');
  await editor(page).focus();
  await page.keyboard.type('x');
  expect(await editor(page).innerText()).not.toContain('x}');
  expect(await page.getByRole('button', { name: /Save|Review|Create/ }).count()).toBe(0);
  expect(await accessibilityProblems(page)).toEqual([]);
  await picture(page, 'editor-manifest', PICTURES);
  expect(complaints).toEqual([]);
  await close();
});

test('Tab indents in the text, and after Escape leaves it', async () => {
  const { page, close } = await signedIn(DEFINITION);
  await editor(page).focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').innerText()).toBe('Review changes');
  await close();
});

test('who may only write gets no editor, and no link to it', async () => {
  const { page, close } = await signedIn('/teams/main/pipelines/app', 'wim');
  expect(await page.getByRole('link', { name: 'Definition' }).count()).toBe(0);
  for (const path of [DEFINITION, NEW]) expect((await page.goto(path))?.status()).toBe(403);
  await close();
});

test('without scripts a form checks and saves the text', async () => {
  const { page, close } = await signedIn(NEW, 'mia', false);
  const text = page.getByLabel('Text of the pipeline');
  await page.getByLabel('Name').fill('plain');
  await text.fill(APP.replace('cmd =', 'cdm ='));
  for (const button of ['Check', 'Create the pipeline']) {
    await page.getByRole('button', { name: button }).click();
    await problems(page).getByText('line 14, column').first().waitFor();
    expect(await text.inputValue()).toContain('cdm =');
  }
  expect(world.stored.has('main/plain')).toBe(false);
  await text.fill(APP);
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('The text is valid.').waitFor();
  await page.getByRole('img', { name: 'Graph of the text' }).waitFor();
  await picture(page, 'editor-plain', PICTURES);
  await page.getByRole('button', { name: 'Create the pipeline' }).click();
  await page.waitForURL('**/teams/main/pipelines/plain');
  expect(world.stored.get('main/plain')?.spec.config).toBe(APP);
  await close();
});

test('a text of the greatest length passes through the form, and a longer one is refused', async () => {
  const { gateway } = site;
  const as = await gateway.session('mia');
  const session = await gateway.ask<{ data: { csrf_token: string } }>('GET /auth/session', { as });
  const known = await gateway.ask<{ data: { generation: number } }>(`GET ${DEFINITION}`, { as });
  const { generation } = known.body.data;
  const save = async (config: string): Promise<number> => {
    const fields = {
      csrf_token: session.body.data.csrf_token,
      generation: String(generation),
      do: 'save',
      config,
    };
    const answer = await fetch(`${gateway.base}${DEFINITION}`, {
      method: 'POST',
      headers: {
        cookie: `__Host-millrace-session=${as}`,
        origin: ORIGIN,
        'sec-fetch-site': 'same-origin',
        accept: 'text/html',
      },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
    return answer.status;
  };
  // In the form, each of these characters takes three.
  const long = `${APP}${`${'#'.repeat(99)}\n`.repeat(2600)}`;
  expect(await save(long + long)).toBe(400);
  expect(await save(long)).toBe(303);
  expect(world.stored.get('main/app')?.spec.config).toBe(long);
});
