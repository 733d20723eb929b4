import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { createCompiler } from '#adapters/hcl/compile.ts';
import type { Role } from '#domain/access/roles.ts';
import type { PipelineObjects } from '#flows/pipelines/object-ports.ts';
import { accessibilityProblems } from '#testing/browser/accessibility.ts';
import { openPerson, openSite, takePictures, sendSignInForm } from '#testing/browser/site.ts';
import { NO_OBJECTS, openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { InMemoryPipelines } from '#testing/kubernetes/in-memory-pipelines.ts';
import { toSave, type TestStores } from '#testing/stores/stores.ts';

/*
 * The editor of pipelines in a browser, with a gateway over a real Postgres and the HCL engine. The Pipeline
 * objects are in memory, and `applyAsOperator` plays the operator. If PICTURES names a folder, the tests
 * store screenshots there.
 */

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

const pipelineObjects = new InMemoryPipelines();
const compiler = createCompiler({ processes: 1 });
let site: Awaited<ReturnType<typeof openSite<Gateway>>>;

/** Saves a revision as the operator does, and marks the object as ready. */
async function applyAsOperator({ pipelines }: TestStores, name: string, config: string): Promise<void> {
  const { pipeline } = await compiler.compile(config, {});
  if (pipeline === undefined) throw new Error('The test wrote an invalid pipeline.');
  const uid = `uid of ${name}`;
  await pipelines.savePipeline(toSave(pipeline, { pipeline: name, uid, config, digest: config }));
  const object = pipelineObjects.stored.get(`main/${name}`);
  if (object !== undefined) object.verdict = { ready: true, reason: 'Ready', message: 'It runs.' };
}

/** A new pipeline with this name is applied only when the test calls `applyAsOperator`. */
const LATE = 'late';

/**
 * The Pipeline objects in memory. Each is applied as soon as it is written, except a new one named `LATE`.
 */
function appliedAtOnce(stores: TestStores): PipelineObjects {
  return {
    ...pipelineObjects.objects,
    async create(object, by) {
      const created = await pipelineObjects.objects.create(object, by);
      if (object.name === LATE) return created;
      if (created.answer === 'done') await applyAsOperator(stores, object.name, object.spec.config);
      return created;
    },
    async replace(read, spec, by) {
      const written = await pipelineObjects.objects.replace(read, spec, by);
      if (written.answer === 'done') await applyAsOperator(stores, read.name, spec.config);
      return written;
    },
  };
}

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  site = await openSite(ORIGIN, async (stores, options) => {
    const objects = { ...NO_OBJECTS, pipelines: appliedAtOnce(stores) };
    return await openGateway(stores, { ...options, compiler, objects, waitFactor: 1 });
  });
  const { stores, gateway } = site;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  pipelineObjects.add({ namespace: 'main', name: 'app', spec: { config: APP } });
  await applyAsOperator(stores, 'app', APP);
  pipelineObjects.add({ namespace: 'main', name: 'declared', spec: { config: APP } }, false);
  await applyAsOperator(stores, 'declared', APP);
  const roles: Record<string, Role> = { mia: 'maintain', wim: 'write' };
  for (const [name, role] of Object.entries(roles))
    await gateway.account(name, { teams: { main: role }, password: PASSWORD });
});
afterAll(async () => {
  await compiler.close();
  await site.close();
});

async function openSignedIn(path: string, as = 'mia', scripts = true) {
  const { browser } = site;
  const { page, context, complaints } = scripts
    ? await openPerson(browser, ORIGIN)
    : await openWithoutScripts(browser);
  context.setDefaultTimeout(300_000);
  await page.goto(path);
  await sendSignInForm(page, as, PASSWORD);
  await page.waitForURL(`**${path}`);
  return { page, complaints, close: async () => await context.close() };
}

async function openWithoutScripts(browser: Browser) {
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

test('a maintainer creates a pipeline, and sees errors and the graph while they type', async () => {
  const { page, complaints, close } = await openSignedIn(NEW);
  await problems(page).getByText('The text is valid.').waitFor();
  await page.getByRole('img', { name: 'Graph of the text' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await takePictures(page, 'editor-new');

  await page.getByLabel('Name').fill('fresh');
  await paste(page, APP.replace('cmd =', 'cdm ='));
  const place = problems(page).getByRole('button', { name: /^line 14, column/ });
  await place.first().waitFor();
  await page.getByRole('img', { name: 'Graph of the last valid text' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await takePictures(page, 'editor-errors');
  await place.first().click();
  await page.locator('.cm-activeLine').filter({ hasText: 'cdm =' }).waitFor();
  expect(await page.locator('.cm-lint-marker-error').count()).toBeGreaterThan(0);

  await paste(page, APP);
  await problems(page).getByText('The text is valid.').waitFor();
  await page.getByRole('button', { name: 'Create the pipeline' }).click();
  await page.getByRole('link', { name: 'Open the pipeline' }).click();
  await page.waitForURL('**/teams/main/pipelines/fresh');
  expect(pipelineObjects.stored.get('main/fresh')?.spec.config).toBe(APP);
  expect(complaints).toEqual([]);
  await close();
});

test('the editor waits for an operator that is late, and then links to the pipeline', async () => {
  const { page, complaints, close } = await openSignedIn(NEW);
  await page.getByLabel('Name').fill(LATE);
  await paste(page, APP);
  await page.getByRole('button', { name: 'Create the pipeline' }).click();
  await page.getByText('does not run it yet: The operator has not reconciled it yet.').waitFor();
  const object = pipelineObjects.stored.get(`main/${LATE}`);
  if (object === undefined) throw new Error('The editor created no object.');
  object.undecided = { reason: 'Retrying', message: 'The database is away.' };
  await page.getByText('does not run it yet: The database is away.').waitFor();
  await applyAsOperator(site.stores, LATE, APP);
  await page.getByRole('link', { name: 'Open the pipeline' }).click();
  await page.waitForURL(`**/teams/main/pipelines/${LATE}`);
  expect(complaints).toEqual([]);
  await close();
});

test('the editor completes names from the schema of the language', async () => {
  const { page, complaints, close } = await openSignedIn(DEFINITION);
  await paste(page, '');
  await page.keyboard.type('resou');
  const options = page.locator('.cm-tooltip-autocomplete li');
  await options.filter({ hasText: 'resource_type' }).waitFor();
  expect(await options.first().innerText()).toContain('resource');
  await page.waitForTimeout(200);
  await page.keyboard.press('Enter');
  await page.keyboard.type('gi');
  await options.filter({ hasText: 'github-check' }).waitFor();
  await takePictures(page, 'editor-completion');
  expect(await editor(page).innerText()).toContain('resource "gi" "name" {');
  expect(complaints).toEqual([]);
  await close();
});

test('a maintainer compares a change with the text that runs, and saves the change', async () => {
  const { page, complaints, close } = await openSignedIn('/teams/main/pipelines/app');
  await page.getByRole('link', { name: 'Definition' }).click();
  await page.waitForURL(`**${DEFINITION}`);
  await paste(page, APP.replace('make test', 'make all'));
  await page.getByRole('button', { name: 'Review changes' }).click();
  const changes = page.getByRole('region', { name: 'Your changes' });
  await changes.getByText('Removed:       cmd = "make test"').waitFor();
  await changes.getByText('Added:       cmd = "make all"').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await takePictures(page, 'editor-changes');

  const dialogOpens = page.waitForEvent('dialog');
  const navigation = page.goto('/teams');
  const dialog = await dialogOpens;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await expect(navigation).rejects.toThrow();

  await page.getByRole('button', { name: 'Save these changes' }).click();
  await page.getByText('The text is saved, and the pipeline runs it.').waitFor();
  expect(pipelineObjects.stored.get('main/app')?.spec.config).toContain('make all');
  await page.getByRole('link', { name: 'Open the pipeline' }).click();
  await page.waitForURL('**/teams/main/pipelines/app');
  expect(complaints).toEqual([]);
  await close();
});

test('a change that someone else made meanwhile is not lost', async () => {
  const { page, complaints, close } = await openSignedIn(DEFINITION);
  await paste(page, APP.replace('make test', 'make mine'));
  const read = await pipelineObjects.objects.read({ namespace: 'main', name: 'app' });
  if (read.answer !== 'done') throw new Error(read.answer);
  await pipelineObjects.objects.replace(
    read.value,
    { config: APP.replace('make test', 'make theirs') },
    'bob',
  );
  await applyAsOperator(site.stores, 'app', APP.replace('make test', 'make theirs'));
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('button', { name: 'Save these changes' }).click();
  await page.getByText('was changed by someone else').waitFor();
  await page.getByText('Removed:       cmd = "make theirs"').waitFor();
  await takePictures(page, 'editor-conflict');
  expect(pipelineObjects.stored.get('main/app')?.spec.config).toContain('make theirs');
  await page.getByRole('button', { name: 'Save these changes' }).click();
  await page.getByText('The text is saved, and the pipeline runs it.').waitFor();
  expect(pipelineObjects.stored.get('main/app')?.spec.config).toContain('make mine');
  expect(complaints).toEqual([]);
  await close();
});

test('the text of a pipeline of a manifest can only be read', async () => {
  const { page, complaints, close } = await openSignedIn('/teams/main/pipelines/declared/definition');
  await page.getByText('A manifest manages this pipeline').waitFor();
  expect(await editor(page).innerText()).toContain('make test');
  await editor(page).focus();
  await page.keyboard.type('x');
  expect(await editor(page).innerText()).not.toContain('x}');
  expect(await page.getByRole('button', { name: /Save|Review|Create/ }).count()).toBe(0);
  expect(await accessibilityProblems(page)).toEqual([]);
  await takePictures(page, 'editor-manifest');
  expect(complaints).toEqual([]);
  await close();
});

test('after Escape, Tab leaves the text', async () => {
  const { page, close } = await openSignedIn(DEFINITION);
  await editor(page).focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').innerText()).toBe('Review changes');
  await close();
});

test('a member with the role write gets no editor, and no link to it', async () => {
  const { page, close } = await openSignedIn('/teams/main/pipelines/app', 'wim');
  expect(await page.getByRole('link', { name: 'Definition' }).count()).toBe(0);
  for (const path of [DEFINITION, NEW]) expect((await page.goto(path))?.status()).toBe(403);
  await close();
});

test('without scripts a form checks and saves the text', async () => {
  const { page, close } = await openSignedIn(NEW, 'mia', false);
  const text = page.getByLabel('Text of the pipeline');
  await page.getByLabel('Name').fill('plain');
  await text.fill(APP.replace('cmd =', 'cdm ='));
  for (const button of ['Check', 'Create the pipeline']) {
    await page.getByRole('button', { name: button }).click();
    await problems(page).getByText('line 14, column').first().waitFor();
    expect(await text.inputValue()).toContain('cdm =');
  }
  expect(pipelineObjects.stored.has('main/plain')).toBe(false);
  await text.fill(APP);
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('The text is valid.').waitFor();
  await page.getByRole('img', { name: 'Graph of the text' }).waitFor();
  await takePictures(page, 'editor-plain');
  await page.getByRole('button', { name: 'Create the pipeline' }).click();
  await page.waitForURL('**/teams/main/pipelines/plain');
  expect(pipelineObjects.stored.get('main/plain')?.spec.config).toBe(APP);
  await close();
});

test('the form accepts a text of the maximum length, and refuses a longer one', async () => {
  const { gateway } = site;
  const as = await gateway.session('mia');
  const session = await gateway.ask<{ data: { csrf_token: string } }>('GET /auth/session', { as });
  const current = await gateway.ask<{ data: { generation: number } }>(`GET ${DEFINITION}`, { as });
  const { generation } = current.body.data;
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
  // The form encodes each `#` as three characters.
  const long = `${APP}${`${'#'.repeat(99)}\n`.repeat(2600)}`;
  expect(await save(long + long)).toBe(400);
  expect(await save(long)).toBe(303);
  expect(pipelineObjects.stored.get('main/app')?.spec.config).toBe(long);
});
