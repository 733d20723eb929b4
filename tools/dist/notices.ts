import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { checkout } from '#tools/checkout.ts';

const run = promisify(execFile);
const licenceFile = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
/** READMEs: packages without a licence file name the licences of their parts there. */
const readme = /^readme(?:\..*)?$/i;

const Manifest = Type.Object({
  name: Type.String(),
  version: Type.String(),
  license: Type.Optional(Type.Unknown()),
});

/** Licences of these packages and of the Go modules in these folders, as one text. */
export async function notices(packages: readonly string[], goFolders: readonly string[]): Promise<string> {
  const parts = ['Millrace contains the following works of others.\n'];
  for (const folder of [...new Set(packages)].toSorted())
    parts.push(await noticeOfPackage(join(checkout, folder)));
  for (const [title, folder] of await goModules(goFolders)) parts.push(section(title, await textsIn(folder)));
  return parts.join('\n');
}

async function noticeOfPackage(folder: string): Promise<string> {
  const manifest = Value.Parse(Manifest, JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  const licence = typeof manifest.license === 'string' ? manifest.license : 'see below';
  return section(`${manifest.name} ${manifest.version} (${licence})`, await textsIn(folder));
}

function section(title: string, texts: readonly string[]): string {
  const body = texts.length > 0 ? texts : ['(The package has no licence file of its own.)'];
  return `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${body.map((text) => text.trim()).join('\n\n')}\n`;
}

async function textsIn(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder)).toSorted();
  const licences = files.filter((name) => licenceFile.test(name));
  const names = licences.length > 0 ? licences : files.filter((name) => readme.test(name));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

/** Go's licence, and the modules in the programs of these folders. */
async function goModules(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const modules = new Map<string, string>();
  if (folders.length === 0) return modules;
  const root = (await run('go', ['env', 'GOROOT'])).stdout.trim();
  modules.set('The Go standard library (BSD-3-Clause)', root);
  for (const folder of folders) {
    const format = '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}';
    const { stdout } = await run('go', ['list', '-deps', '-f', format, '.'], {
      cwd: folder,
      env: { ...process.env, GOFLAGS: '-mod=readonly', GOWORK: 'off', ...goTarget(folder) },
    });
    for (const line of stdout
      .split('\n')
      .filter((text) => text.includes('\t'))
      .toSorted()) {
      const [title = '', directory = ''] = line.split('\t');
      modules.set(title, directory);
    }
  }
  return modules;
}

function goTarget(folder: string): Record<string, string> {
  return folder.endsWith('engine') ? { GOOS: 'wasip1', GOARCH: 'wasm' } : { GOOS: 'linux', CGO_ENABLED: '0' };
}
