import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { checkout } from '#tools/checkout.ts';
import { bundleIntoOneFile, bundleEntryPoints } from './bundle.ts';
import { inputState, Ledger, outputFolder, type State } from './inputs.ts';
import { copyNative, packagesInNotices } from './native.ts';
import { notices } from './notices.ts';
import { buildShim } from './shim.ts';
import { buildWeb } from './web.ts';

const usage = `Usage: node tools/dist/main.ts [--partial]

Builds dist/ from the sources: the bundles millrace.js (with its chunks), agent.cjs, hcl-host.js with its
thread hcl-worker.js, and images-worker.js, the HCL engine hcl.wasm, the shims shim-amd64 and shim-arm64,
native-amd64 and native-arm64 with what sharp loads, the style and scripts of the pages in web, data,
and THIRD-PARTY-NOTICES. What did not change is not built again.
--partial leaves out parts whose sources are not there, with a line for each.`;

/** Inputs of every bundle besides its sources. */
const commonInputs = ['package-lock.json', 'tools/dist/*.ts'];

const entryPoints = {
  'millrace.js': 'src/main.ts',
  'agent.cjs': 'src/agent/main.ts',
  'hcl-host.js': 'src/adapters/hcl/host.ts',
  'hcl-worker.js': 'src/adapters/hcl/worker.ts',
  'images-worker.js': 'src/adapters/images/worker.ts',
};

/**
 * Packages that the agent and the workers must not contain. The agent starts in every Pod, where start time
 * and memory matter; the workers only read HCL and draw.
 */
const unwanted = ['slonik', '@kubernetes/client-node', 'fastify', 'pg', 'undici', 'pino'];

const engine = 'src/adapters/hcl/engine';
const shim = 'src/agent/shim';

/**
 * Folders that keep their name in dist, so that `import.meta.dirname` + name works in sources and in dist.
 */
const dataFolders = { migrations: 'src/adapters/database/migrations' };

const web = 'src/web';
/** What the style and the scripts of the pages are made from. */
const webInputs = [
  `${web}/**/!(*.test).{ts,tsx,css}`,
  `${web}/tsconfig.json`,
  'src/domain/**/!(*.test).ts',
  'src/defined.ts',
  'package.json',
];

/** The font of PNG pictures. */
const font = { name: 'DejaVuSans.ttf', folder: 'node_modules/dejavu-fonts-ttf/ttf' };

const run = promisify(execFile);
const { values } = parseArgs({
  options: { partial: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

try {
  if (values.help) console.log(usage);
  else await main();
} catch (error) {
  console.error(Error.isError(error) ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  await mkdir(outputFolder, { recursive: true });
  const ledger = await Ledger.read();
  const goFolders = [engine, shim].filter(isThere);
  const goVersion = goFolders.length > 0 ? (await run('go', ['env', 'GOVERSION'])).stdout.trim() : '';
  const goState = (folder: string) =>
    inputState(join(checkout, folder), ['**/!(*_test).go', 'go.{mod,sum}'], [goVersion]);

  if (goFolders.includes(engine)) await buildPart(ledger, ['hcl.wasm'], () => goState(engine), buildEngine);
  if (goFolders.includes(shim))
    await buildPart(ledger, ['shim-amd64', 'shim-arm64'], () => goState(shim), buildShims);
  for (const [name, from] of Object.entries(dataFolders)) {
    if (!isThere(from)) continue;
    await buildPart(
      ledger,
      [name],
      () => inputState(join(checkout, from), ['**']),
      () => copyData(name, from),
    );
  }
  if (isThere(web)) {
    await buildPart(
      ledger,
      ['web'],
      () => inputState(checkout, [...commonInputs, ...webInputs]),
      () => buildWeb(join(outputFolder, 'web')),
    );
  }
  await buildPart(
    ledger,
    [font.name],
    () => inputState(join(checkout, font.folder), [font.name]),
    () => copyData(font.name, join(font.folder, font.name)),
  );
  await buildPart(
    ledger,
    ['native-amd64', 'native-arm64'],
    () => inputState(checkout, commonInputs),
    async () => {
      await copyNative('amd64');
      await copyNative('arm64');
    },
  );
  for (const [name, source] of Object.entries(entryPoints))
    if (isThere(source)) await bundle(ledger, name, source);
  const goStates = await Promise.all(goFolders.map(goState));
  await writeNotices(
    ledger,
    goFolders,
    goStates.map(({ hash }) => hash),
  );
}

/**
 * Bundles a program. Its inputs are the sources of the previous bundle, because a new source can enter the
 * bundle only through a change of one of those.
 */
async function bundle(ledger: Ledger, file: string, source: string): Promise<void> {
  const state = () => inputState(checkout, [...commonInputs, ...ledger.list(`sources of ${file}`)]);
  await buildPart(ledger, [file], state, async () => {
    const inputs =
      file === 'millrace.js' ? await bundleEntryPoints(source) : await bundleIntoOneFile(file, source, unwanted);
    await ledger.record(`sources of ${file}`, inputs.sources.join(' '));
    await ledger.record(`packages of ${file}`, inputs.packages.join(' '));
  });
}

async function writeNotices(
  ledger: Ledger,
  goFolders: readonly string[],
  goHashes: readonly string[],
): Promise<void> {
  const bundled = Object.keys(entryPoints).flatMap((name) => ledger.list(`packages of ${name}`));
  const own = [...bundled, ...packagesInNotices, 'node_modules/dejavu-fonts-ttf'];
  const state = () => inputState(checkout, commonInputs, [...own, ...goHashes]);
  await buildPart(ledger, ['THIRD-PARTY-NOTICES'], state, async () => {
    const folders = goFolders.map((folder) => join(checkout, folder));
    await writeFile(join(outputFolder, 'THIRD-PARTY-NOTICES'), await notices(own, folders));
  });
}

/** Whether a source exists. Throws for a missing source; with --partial prints a line instead. */
function isThere(path: string): boolean {
  if (existsSync(join(checkout, path))) return true;
  if (!values.partial)
    throw new Error(`${path} is missing, so dist would not be whole; --partial builds the rest.`);
  console.log(`left out: ${path} is not there`);
  return false;
}

async function buildPart(
  ledger: Ledger,
  files: readonly string[],
  state: () => Promise<State>,
  make: (hash: string) => Promise<void>,
): Promise<void> {
  const name = files.join(' ');
  if (ledger.has(name, (await state()).hash) && files.every((file) => existsSync(join(outputFolder, file)))) {
    console.log(`unchanged: ${name}`);
    return;
  }
  const started = Date.now();
  try {
    await make((await state()).hash);
  } catch (error) {
    if (!values.partial) throw error;
    console.log(`left out: ${name}: ${Error.isError(error) ? error.message : String(error)}`);
    return;
  }
  // An input that changed during the build may be missing in the result: build again next time.
  const { hash, newest } = await state();
  if (newest < started) await ledger.record(name, hash);
  const sizes = await Promise.all(files.map(async (file) => `${file} ${await sizeOf(file)}`));
  console.log(`built: ${sizes.join(', ')} (${Date.now() - started} ms)`);
}

async function sizeOf(file: string): Promise<string> {
  const { size } = await stat(join(outputFolder, file));
  return size > 1e6 ? `${(size / 1e6).toFixed(1)} MB` : `${Math.ceil(size / 1e3)} kB`;
}

async function buildEngine(): Promise<void> {
  await run(process.execPath, [join(checkout, 'src/adapters/hcl/build.ts'), join(outputFolder, 'hcl.wasm')]);
}

async function buildShims(hash: string): Promise<void> {
  for (const architecture of ['amd64', 'arm64']) await buildShim(join(checkout, shim), architecture, hash);
}

async function copyData(name: string, from: string): Promise<void> {
  await rm(join(outputFolder, name), { recursive: true, force: true });
  await cp(join(checkout, from), join(outputFolder, name), { recursive: true, filter: isShipped });
}

function isShipped(path: string): boolean {
  return !path.endsWith('.test.ts');
}
