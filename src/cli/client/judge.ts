import { isError } from '#cli/finding.ts';
import { EXIT, painter, type Exit } from '#cli/terminal.ts';
import type { FindingTold, MadeTold } from './answers.ts';
import { pathOf } from './api.ts';
import { findingsIn, renderTold, verdictOn } from './findings.ts';
import type { ConfigText } from './read-config.ts';
import { asJson, visibleLines } from './show.ts';
import type { Talk } from './team-options.ts';

/** What is said beside the answer, for programs. */
type Besides = Record<string, unknown>;

/** What the server says of a text; nothing is kept. */
export async function judge(
  { api, options, terminal }: Talk,
  { config, vars }: { config: string; vars: Record<string, string> },
  text: ConfigText,
  besides: Besides = {},
): Promise<Exit> {
  const path = pathOf('teams', options.team, 'pipelines', 'validate');
  const { data } = await api.ask<{ findings: FindingTold[] }>('POST', path, { config, vars });
  const { findings } = data;
  const valid = !findings.some(isError);
  const paint = painter(terminal);
  terminal.out(
    options.output === 'json'
      ? asJson({ valid, findings, ...besides })
      : `${renderTold(findings, text, paint)}${verdictOn(findings, text, paint)}`,
  );
  return valid ? EXIT.fine : EXIT.wrong;
}

export interface Carried {
  /** What was done to it, once it was: `made`. */
  verb: string;
  text: ConfigText;
  besides?: Besides;
}

/** Makes or changes a pipeline, and tells what came of it. What does not run yet is no success. */
export async function carryOut(
  { options, terminal }: Pick<Talk, 'options' | 'terminal'>,
  ask: () => Promise<MadeTold>,
  { verb, text, besides = {} }: Carried,
): Promise<Exit> {
  const paint = painter(terminal);
  let made: MadeTold;
  try {
    made = await ask();
  } catch (error) {
    const findings = findingsIn(error);
    if (findings === undefined) throw error;
    terminal.out(
      options.output === 'json'
        ? asJson({ valid: false, findings })
        : `${renderTold(findings, text, paint)}${verdictOn(findings, text, paint)}`,
    );
    return EXIT.wrong;
  }
  if (options.output === 'json') {
    terminal.out(asJson({ ...made, ...besides }));
  } else {
    const { team, name, ready, reason, message } = made;
    const state = ready
      ? paint('green', 'it runs')
      : `${paint('yellow', 'it does not run yet')}: ${visibleLines([reason, message].filter(Boolean).join(': '))}`;
    terminal.out(`${renderTold(made.warnings, text, paint)}${team}/${name}: ${verb}, ${state}\n`);
  }
  return made.ready ? EXIT.fine : EXIT.wrong;
}
