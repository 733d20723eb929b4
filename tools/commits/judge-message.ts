/** A commit of the project, as `git log` has it. */
export interface Commit {
  hash: string;
  subject: string;
  body: string;
  parents: number;
}

const MAX_SUBJECT_CHARACTERS = 72;

/** Folders and other subjects of commits. */
const SCOPES: readonly string[] = [
  'language',
  'pipeline',
  'scheduling',
  'planning',
  'build',
  'graph',
  'access',
  'flows',
  'database',
  'kubernetes',
  'http',
  'hcl',
  'images',
  'process',
  'operator',
  'gateway',
  'agent',
  'shim',
  'cli',
  'web',
  'chart',
  'crds',
  'config',
  'tools',
  'bench',
  'e2e',
  'tests',
  'docs',
  'deps',
];

/** First words that are not imperative: "Added", "Adding", "Adds". */
const NOT_IMPERATIVE = /^(?:[A-Z][a-z]+(?:ed|ing)|[A-Z][a-z]*[^aius\W]s)$/;
/** Imperatives that look like one of these forms. */
const IMPERATIVES = new Set(['Embed', 'Feed', 'Need', 'Seed', 'Shed', 'Speed', 'Bring', 'Ring', 'String']);

/** All faults of a commit's message. */
export function judgeMessage({ subject, body, parents }: Commit): string[] {
  if (parents > 1) return ['is a merge; rebase the branch instead'];
  const reasons: string[] = [];
  if (subject.length > MAX_SUBJECT_CHARACTERS)
    reasons.push(`has a subject of ${subject.length} characters; the limit is ${MAX_SUBJECT_CHARACTERS}`);
  const [, scope, words] = /^([a-z0-9]+): (.+)$/.exec(subject) ?? [];
  if (scope === undefined || words === undefined) {
    reasons.push('has no scope; begin with one, as in "operator: Reject Pods from other namespaces"');
  } else {
    if (!SCOPES.includes(scope))
      reasons.push(`has the unknown scope "${scope}"; the scopes are ${SCOPES.join(', ')}`);
    reasons.push(...judgeWords(words));
  }
  if (body.trim() === '') reasons.push('has no body; say why in it');
  return reasons;
}

function judgeWords(words: string): string[] {
  const reasons: string[] = [];
  const [first = ''] = words.split(' ');
  if (!/^[A-Z]/.test(first))
    reasons.push(`has a subject that begins with "${first}"; begin with a capital letter`);
  else if (NOT_IMPERATIVE.test(first) && !IMPERATIVES.has(first))
    reasons.push(
      `has a subject that begins with "${first}"; use the imperative, as in "Reject", not "Rejects"`,
    );
  if (/[.!?]$/.test(words)) reasons.push('has a subject that ends with a full stop; leave it out');
  return reasons;
}
