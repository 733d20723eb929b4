import { blocksOf, stringAt, stringsAt } from '#domain/language/block-values.ts';
import { diagnose } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { builtInRunnerTypes } from './built-in-types.ts';
import type { CompileContext, KnownRunner, KnownRunners } from './compile-context.ts';
import { readTypes } from './definitions.ts';
import type { TypeKind } from './type-kinds.ts';

type Templates = { path: string; args: string[] };

const runnerTypes: TypeKind<Templates> = {
  block: 'runner_type',
  noun: 'runner type',
  ownItems: ['run'],
  builtIn: builtInRunnerTypes,
  refused: new Map([['docker', 'the runner docker cannot be a source: its container belongs to the Pod']]),
  read(block, { report }) {
    const [run] = blocksOf(block, 'run');
    if (!run && !block.misread.has('run'))
      report(diagnose('missing-block', block.range, 'runner_type needs a block run, or a source'));
    const path = run && stringAt(run, 'path');
    if (!run || !path) return undefined;
    if (path.text !== '') return { path: path.text, args: stringsAt(run, 'args').map(({ text }) => text) };
    report(diagnose('invalid-command', path.range, 'path is empty, so nothing would run', 'Name a program.'));
    return undefined;
  },
  commands: () => [],
  withCommands: (type) => type,
};

/** The runners of the pipeline by name. */
export function readRunners(blocks: readonly ReadBlock[], context: CompileContext): KnownRunners {
  const types = readTypes(runnerTypes, blocks, context);
  const runners = new Map<string, KnownRunner>([...context.reader.runners].map((name) => [name, 'broken']));
  for (const { labels } of blocks) {
    const name = labels[0]?.text ?? '';
    const templates = types.find(name) ?? 'broken';
    const callers = context.callers.get(name) ?? new Set();
    runners.set(
      name,
      templates === 'broken' ? templates : { path: templates.path, args: templates.args, callers },
    );
  }
  return runners;
}
