import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { basename, join } from 'node:path';
import { exclusively } from './exclusive.ts';
import { explained } from './explain.ts';
import { architecture, dataFolder, toolFolder, type Folders } from './folders.ts';
import { lastLines, run, tryRun } from './run.ts';
import { tools, type Tool } from './versions.ts';

const modules = join(import.meta.dirname, 'modules');

/** Memory of one compiler process for the largest packages. */
const bytesPerCompiler = 1.5 * 1024 ** 3;

/**
 * Digest of a tool's entry in versions.ts, and of go.mod, go.sum and the Go files in its module, without
 * tests. A tool is built again if its digest changes, but not for a new version of Go.
 */
export function recipeOf(tool: Tool, folder: string = join(modules, tool.name)): string {
  const hash = createHash('sha256').update(JSON.stringify(tool));
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (/(^|\/)(go\.mod|go\.sum|[^/]+(?<!_test)\.go)$/.test(file)) {
      hash.update(`\n${file}\n`).update(readFileSync(join(folder, file)));
    }
  }
  return hash.digest('hex');
}

/** Whether the cache has the binaries for this checkout. */
function isBuilt(folders: Folders, tool: Tool): boolean {
  const stamp = join(toolFolder(folders, tool), 'recipe');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === recipeOf(tool);
}

/**
 * The tools that have to be built, out of the named ones; without names, out of all that are not optional.
 * Throws for an unknown name and lists the known ones.
 */
export function missingTools(folders: Folders, names: readonly string[]): Tool[] {
  const unknown = names.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined) {
    throw explained(`There is no tool "${unknown}"; there are ${tools.map((tool) => tool.name).join(', ')}.`);
  }
  const selected = tools.filter((tool) => (names.length === 0 ? !tool.optional : names.includes(tool.name)));
  return selected.filter((tool) => !isBuilt(folders, tool));
}

/** Builds missing tools one after the other. Returns how many were built. */
export async function build(folders: Folders, names: readonly string[]): Promise<number> {
  if (missingTools(folders, names).length === 0) {
    return 0;
  }
  await requireGo();
  mkdirSync(folders.binaries, { recursive: true });
  return exclusively(`build ${folders.binaries}`, 'Another build is under way; waiting for it.', async () => {
    removeLeftovers(folders);
    const missing = missingTools(folders, names);
    for (const [index, tool] of missing.entries()) {
      await buildTool(folders, tool, `[${index + 1}/${missing.length}] ${tool.name} ${tool.version}`);
    }
    return missing.length;
  });
}

async function requireGo(): Promise<void> {
  if ((await tryRun('go', ['version'])) === undefined) {
    throw explained(
      'Go is missing: install Go 1.26.6 or newer (https://go.dev/dl) and have `go` on the PATH.',
    );
  }
}

/** Removes temporary folders of builds that failed or were killed. */
function removeLeftovers(folders: Folders): void {
  for (const entry of readdirSync(folders.binaries).filter((name) => name.startsWith('.'))) {
    rmSync(join(folders.binaries, entry), { recursive: true, force: true });
  }
}

async function buildTool(folders: Folders, tool: Tool, label: string): Promise<void> {
  const target = toolFolder(folders, tool);
  const temporary = join(folders.binaries, `.${basename(target)}.new`);
  const previous = join(folders.binaries, `.${basename(target)}.old`);
  const recipe = recipeOf(tool);
  mkdirSync(temporary);
  await compile(tool, temporary, label);
  for (const [path, binary] of Object.entries(tool.packages)) {
    const built = join(temporary, builtName(tool, path));
    if (built !== join(temporary, binary)) {
      renameSync(built, join(temporary, binary));
    }
  }
  if (tool.data !== undefined) await copyData(tool, tool.data, join(temporary, dataFolder));
  writeFileSync(join(temporary, 'recipe'), recipe);
  if (existsSync(target)) {
    renameSync(target, previous);
  }
  renameSync(temporary, target);
  rmSync(previous, { recursive: true, force: true });
}

/** Copies data, because Go's cache of modules may be cleaned later. The copy gets default modes. */
async function copyData(tool: Tool, names: readonly string[], target: string): Promise<void> {
  const options = { cwd: join(modules, tool.name), env: { ...process.env, GOWORK: 'off' } };
  const source = (await run('go', ['list', '-m', '-f', '{{.Dir}}', tool.module], options)).trim();
  mkdirSync(target);
  const sources = names.map((name) => join(source, name));
  await run('cp', ['--recursive', '--no-preserve=mode', ...sources, target]);
}

/**
 * Name that `go build` gives a binary: the last segment of its path that is not a major version; for the path
 * `.`, the name of the tool.
 */
function builtName(tool: Tool, path: string): string {
  const parts = path.split('/').filter((part) => !/^v\d+$/.test(part));
  const last = parts.at(-1);
  return last === undefined || last === '.' ? tool.name : last;
}

function compilerArguments(tool: Tool, folder: string): string[] {
  const compilers = Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / bytesPerCompiler)));
  return [
    'build',
    '-mod=readonly',
    '-trimpath',
    '-buildvcs=false',
    `-p=${compilers}`,
    ...(tool.tags === undefined ? [] : [`-tags=${tool.tags}`]),
    `-ldflags=${['-s -w', ...tool.ldflags].join(' ')}`,
    '-o',
    `${folder}/`,
    ...Object.keys(tool.packages),
  ];
}

function compile(tool: Tool, folder: string, label: string): Promise<void> {
  const started = performance.now();
  const stop = showProgress(label, started);
  return new Promise((resolve, reject) => {
    const child = spawn('nice', ['go', ...compilerArguments(tool, folder)], {
      cwd: join(modules, tool.name),
      env: {
        ...process.env,
        CGO_ENABLED: tool.cgo === true ? '1' : '0',
        GOOS: 'linux',
        GOARCH: architecture,
        GOWORK: 'off',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-20_000)));
    child.on('error', reject);
    child.on('close', (code) => {
      stop();
      if (code === 0) {
        console.log(`${label}: built in ${elapsed(started)}`);
        resolve();
      } else {
        reject(explained(`Building ${tool.name} ${tool.version} failed:\n${lastLines(errors, 20)}`));
      }
    });
  });
}

/**
 * Shows what is being built: a counter on a terminal, a line every 30 s in a log. Returns a function that
 * stops the output.
 */
function showProgress(label: string, started: number): () => void {
  const terminal = process.stdout.isTTY;
  const show = (): boolean =>
    process.stdout.write(
      `${terminal ? '\r' : ''}${label}: building, ${elapsed(started)}${terminal ? ' ' : '\n'}`,
    );
  show();
  const timer = setInterval(show, terminal ? 1000 : 30_000);
  return () => {
    clearInterval(timer);
    if (terminal) {
      process.stdout.write('\r\u001b[K');
    }
  };
}

function elapsed(started: number): string {
  const seconds = Math.round((performance.now() - started) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
