/** The functions that expressions can call. A function with the same name in Terraform does the same. */
export const functionNames: readonly string[] = (
  'abs alltrue anytrue base64decode base64encode ceil chomp chunklist coalesce coalescelist compact ' +
  'concat contains csvdecode distinct element endswith flatten floor format formatdate formatlist ' +
  'indent join jsondecode jsonencode keys length log lookup lower max merge min one parseint pow ' +
  'range regex regexall regexreplace replace reverse setintersection setproduct setsubtract ' +
  'setsymmetricdifference setunion signum slice sort split startswith strcontains strlen strrev ' +
  'substr sum timeadd timestamp title tobool tolist tomap tonumber toset tostring transpose trim ' +
  'trimprefix trimspace trimsuffix upper urlencode values zipmap'
).split(' ');

/** What to write instead of functions that people may expect, but that are missing on purpose. */
const INSTEAD: Readonly<Record<string, string>> = {
  file: 'A pipeline reads no files: write the text in a heredoc, or read the file in a step.',
  templatefile: 'A pipeline reads no files: write the text in a heredoc, or fill it in in a step.',
  fileexists: 'A pipeline reads no files: look for it in a step.',
  env: 'Variables of the environment exist only when a step runs: write $NAME in its script.',
  uuid: 'Its value would differ each time the pipeline is read: make it in a step.',
  try: 'Use lookup(map, key, default) or a conditional.',
  can: 'Use contains(keys(map), key) or a conditional.',
  md5: 'Compute it in a step, with md5sum.',
  sha1: 'Compute it in a step, with sha1sum.',
  sha256: 'Compute it in a step, with sha256sum.',
};

/** The help of a diagnostic about an unknown function. */
export function helpForFunction(name: string): string {
  if (Object.hasOwn(INSTEAD, name)) return INSTEAD[name] ?? '';
  const correction = 'Correct the name; the reference lists all functions under "Expressions".';
  return `${correction} A command of the shell is written $(…), outside of \${…}.`;
}
