import type { Command } from 'commander';
import { bashScript } from './bash.ts';
import { placesOf, type CompletionPlace } from './command-tree.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

const SCRIPTS: Readonly<Record<Shell, (places: readonly CompletionPlace[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The script that lets a shell complete the commands and options of the program. */
export const completionScript = (shell: Shell, program: Command): string => SCRIPTS[shell](placesOf(program));
