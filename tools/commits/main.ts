import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { judgeMessage, type Commit } from './judge-message.ts';

/*
 * node tools/commits/main.ts [REVISION]: checks the messages of the commits since the rule began, up to the
 * revision (default: HEAD). Exits with 1 for a bad message.
 */

/** The last commit before the rule. */
const SINCE = 'd4d64cfdec89c9b889efffd19c46066cf39022be';
const run = promisify(execFile);

async function commitsUpTo(revision: string): Promise<Commit[]> {
  const format = '--format=%H%x00%s%x00%b%x00%P%x01';
  const { stdout } = await run('git', ['log', format, `${SINCE}..${revision}`], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout
    .split('\u0001\n')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [hash = '', subject = '', body = '', parents = ''] = entry.split('\0');
      return { hash, subject, body, parents: parents.split(' ').filter(Boolean).length };
    });
}

async function isKnown(revision: string): Promise<boolean> {
  return await run('git', ['cat-file', '-e', `${revision}^{commit}`]).then(
    () => true,
    () => false,
  );
}

const revision = process.argv[2] ?? 'HEAD';
if (!(await isKnown(SINCE))) {
  console.log('The history here does not go back to where the rule begins: no message was read.');
} else {
  const commits = await commitsUpTo(revision);
  const faults = commits.flatMap((commit) =>
    judgeMessage(commit).map((reason) => `${commit.hash.slice(0, 8)} "${commit.subject}" ${reason}.`),
  );
  for (const line of faults) console.error(line);
  console.log(`${commits.length} commit messages read, ${faults.length} faults.`);
  if (faults.length > 0) process.exitCode = 1;
}
