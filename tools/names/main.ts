import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readNames } from './read-names.ts';
import { refusedWords } from './refused-words.ts';

/*
 * node tools/names/main.ts: checks the names in all TypeScript files. Exits with 1 if a name contains a word
 * that the glossary replaces, or if two files export the same name that is not in `SHARED`. Tests,
 * src/testing and test data may export the same names, and so may bench/comparisons, whose contestants are
 * alike on purpose.
 */

/** The scripts of built-in types have the same names in each type's module. */
const SCRIPTS = ['check', 'pull', 'push'];
/** Helpers of end-to-end tests that do through the API what the flow of the same name does. */
const REQUESTS = ['createAccount', 'createPipeline', 'createTeam', 'createToken', 'deleteTeam'];
const SHARED = new Set([...SCRIPTS, ...REQUESTS]);

const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const isExempt = (file: string): boolean =>
  /\.test\.tsx?$|^src\/testing\/|^bench\/comparisons\/|\/testdata\//.test(file);

const faults: string[] = [];
const exporters = new Map<string, string[]>();
for (const file of files) {
  const { exported, identifiers } = readNames(file, readFileSync(file, 'utf8'));
  for (const name of identifiers) {
    for (const reason of refusedWords(name)) faults.push(`${file}: the name ${name} contains ${reason}.`);
  }
  if (isExempt(file)) continue;
  for (const name of exported) {
    exporters.set(name, [...(exporters.get(name) ?? []), file]);
  }
}
for (const [name, exportingFiles] of exporters) {
  if (exportingFiles.length > 1 && !SHARED.has(name))
    faults.push(
      `${exportingFiles.join(', ')}: several files export the name ${name}. One name has one meaning.`,
    );
}
for (const fault of faults.toSorted()) console.error(fault);
console.log(`The names in ${files.length} files read, ${faults.length} faults.`);
if (faults.length > 0) process.exitCode = 1;
