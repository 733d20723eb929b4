import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readNames } from './read-names.ts';
import { refusedWords } from './refused-words.ts';

/*
 * node tools/names/main.ts: checks the names in all TypeScript files. Exits with 1 if a name contains a word
 * that the glossary replaces, or if two files of src, tests left out, export the same name.
 */

/** The scripts of built-in types have the same names in each type's module. */
const SCRIPTS = new Set(['check', 'pull', 'push']);

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const isProgram = (file: string): boolean =>
  file.startsWith('src/') && !/\.test\.ts$|^src\/testing\/|\/testdata\//.test(file);

const faults: string[] = [];
const exporters = new Map<string, string[]>();
for (const file of files) {
  const { exported, identifiers } = readNames(file, readFileSync(file, 'utf8'));
  for (const name of identifiers) {
    for (const reason of refusedWords(name)) faults.push(`${file}: the name ${name} contains ${reason}.`);
  }
  if (!isProgram(file)) continue;
  for (const name of exported) exporters.set(name, [...(exporters.get(name) ?? []), file]);
}
for (const [name, by] of exporters) {
  if (by.length > 1 && !SCRIPTS.has(name))
    faults.push(`${by.join(', ')}: several files export the name ${name}. One name has one meaning.`);
}
for (const fault of faults.toSorted()) console.error(fault);
console.log(`The names in ${files.length} files read, ${faults.length} faults.`);
if (faults.length > 0) process.exitCode = 1;
