import { allRegexes, faultsIn, readProven, spellingOf, writeProven } from './proven.ts';

/*
 * Proves that no regular expression of the project takes more than linear time, and records the proofs.
 * With --all it also repeats the recorded proofs.
 */
const regexes = allRegexes();
const proven = process.argv.includes('--all') ? new Set<string>() : readProven();
const faults = faultsIn(regexes, proven);
const used = new Set(regexes.map(spellingOf));
writeProven(new Set([...proven].filter((name) => used.has(name))));
for (const fault of faults) console.error(fault);
console.log(`${proven.size} regular expressions are linear, ${faults.length} are not.`);
process.exitCode = faults.length === 0 ? 0 : 1;
