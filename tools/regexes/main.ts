import { allRegexes, faultsIn, readProven, spelled, writeProven } from './proven.ts';

/*
 * Proves that no regular expression of the project takes more than linear time, and records the proofs.
 * With --all, it proves those with a record again, too.
 */
const regexes = allRegexes();
const proven = process.argv.includes('--all') ? new Set<string>() : readProven();
const faults = faultsIn(regexes, proven);
const used = new Set(regexes.map(spelled));
writeProven(new Set([...proven].filter((name) => used.has(name))));
for (const fault of faults) console.error(fault);
console.log(`${proven.size} regular expressions are linear, ${faults.length} are not.`);
process.exitCode = faults.length === 0 ? 0 : 1;
