import { diagnose } from '#domain/language/diagnostic.ts';
import type { Report } from '#domain/language/diagnostic.ts';
import { labelAt, textAt, textsAt } from '#domain/language/read-block.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Text } from '#domain/language/read-attribute.ts';
import type { Command } from './pipeline.ts';

const image =
  /^(?:[a-zA-Z0-9][a-zA-Z0-9.-]*(?::\d{1,5})?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;

/** What a runner block says to run, or undefined after reporting what it lacks. */
export function readCommand(block: ReadBlock, report: Report): Command | undefined {
  switch (labelAt(block, 0).text) {
    case 'exec':
      return readExec(block, report);
    case 'shell':
      return readShell(block, report);
    default:
      return readDocker(block, report);
  }
}

function readExec(block: ReadBlock, report: Report): Command | undefined {
  const path = textAt(block, 'path');
  if (path && path.text !== '')
    return { runner: 'exec', path: path.text, args: textsAt(block, 'args').map(({ text }) => text) };
  if (!block.attributes.has('path') || path) {
    report(
      diagnose(
        'invalid-command',
        path?.range ?? block.range,
        `the runner exec needs a path`,
        'Write path = "…", the program to run.',
      ),
    );
  }
  return undefined;
}

function readShell(block: ReadBlock, report: Report): Command | undefined {
  const given = ['cmd', 'file'].filter((name) => block.attributes.has(name));
  if (given.length !== 1) {
    const found = given.length === 0 ? 'neither' : 'both';
    const help = 'Write cmd for a script in place, or file for one in the working directory.';
    report(
      diagnose(
        'invalid-command',
        block.range,
        `the runner shell needs either cmd or file, and has ${found}`,
        help,
      ),
    );
    return undefined;
  }
  const shell = textAt(block, 'shell');
  if (block.attributes.has('shell') && !isNamed(shell, report)) return undefined;
  const rest = shell ? { shell: shell.text } : {};
  const cmd = textAt(block, 'cmd');
  if (cmd) return { runner: 'shell', cmd: cmd.text, ...rest };
  const file = textAt(block, 'file');
  return file && isNamed(file, report) ? { runner: 'shell', file: file.text, ...rest } : undefined;
}

function readDocker(block: ReadBlock, report: Report): Command | undefined {
  const name = textAt(block, 'image');
  const cmd = textAt(block, 'cmd');
  return name && cmd && checkImage(name, report)
    ? { runner: 'docker', image: name.text, cmd: cmd.text }
    : undefined;
}

function checkImage({ text, range }: Text, report: Report): boolean {
  const [reference] = /\$(?:\{\w*\}?|\w+)/.exec(text) ?? [];
  if (reference !== undefined) {
    report(
      diagnose(
        'dynamic-image',
        range,
        `the image depends on ${reference}, which is known only while a build runs`,
      ),
    );
    return false;
  }
  if (image.test(text)) return true;
  report(diagnose('invalid-image', range, `${JSON.stringify(text)} is not the name of an image`));
  return false;
}

function isNamed(text: Text | undefined, report: Report): boolean {
  if (text?.text === '')
    report(diagnose('invalid-command', text.range, 'this must not be empty', 'Name a file.'));
  return text !== undefined && text.text !== '';
}
