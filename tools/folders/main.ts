import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';
import { findCircles, type Import } from './find-circles.ts';

/*
 * node tools/folders/main.ts: checks the imports of all files below src, except tests and their support.
 * Exits with 1 if two folders import each other, directly or through others. Every import statement counts,
 * also of types; `export … from` and `import()` do not.
 */

const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', 'src/**.ts', 'src/**.tsx'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => file !== '' && existsSync(file))
  .filter((file) => !/\.test\.tsx?$|-under-test\.ts$|^src\/testing\//.test(file));

const manifest: { imports: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));
/** Aliases of folders, such as `#flows/` for `src/flows/`. */
const aliases = Object.entries(manifest.imports)
  .filter(([alias]) => alias.endsWith('/*'))
  .map(([alias, path]) => ({ alias: alias.slice(0, -1), folder: posix.normalize(path).slice(0, -1) }));

/** The path of the imported file; undefined for packages and for aliases of single files. */
function resolve(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('./')) return posix.join(posix.dirname(from), specifier);
  const match = aliases.find(({ alias }) => specifier.startsWith(alias));
  return match && match.folder + specifier.slice(match.alias.length);
}

function importsOf(from: string): Import[] {
  const { module } = parseSync(from, readFileSync(from, 'utf8'));
  return module.staticImports.flatMap(({ moduleRequest }) => {
    const to = resolve(moduleRequest.value, from);
    return to === undefined ? [] : [{ from, to }];
  });
}

const circles = findCircles(files.flatMap(importsOf));
for (const { folders, imports } of circles) {
  console.error(`These folders import each other: ${folders.join(', ')}`);
  for (const { from, to } of imports) console.error(`  ${from} imports ${to}`);
}
console.log(`The imports of ${files.length} files read, ${circles.length} circles of folders.`);
if (circles.length > 0) process.exitCode = 1;
