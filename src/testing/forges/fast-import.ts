interface ImportedCommit {
  readonly message: string;
  readonly branch: string;
  /** A hash or the full name of a branch. Undefined: the commit has no parent. */
  readonly parent: string | undefined;
  readonly seconds: number;
  readonly files?: Readonly<Record<string, string>>;
}

/** The input for `git fast-import` that creates a commit and prints its hash. */
export function importOf({ message, branch, parent, seconds, files }: ImportedCommit): string {
  const contents = Object.entries(files ?? { file: `${message}\n` });
  const lines = [
    `commit refs/heads/${branch}`,
    'mark :1',
    `committer Ann <ann@example.org> ${seconds} +0000`,
    dataOf(message),
    ...(parent === undefined ? [] : [`from ${parent}${parent.startsWith('refs/') ? '^0' : ''}`]),
    ...contents.flatMap(([path, text]) => [`M 100644 inline ${path}`, dataOf(text)]),
    '',
    'get-mark :1',
    '',
  ];
  return lines.join('\n');
}

const dataOf = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`;
