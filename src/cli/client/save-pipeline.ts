import { isErrorFinding } from '#cli/finding.ts';
import { EXIT, painter, type Exit } from '#cli/terminal.ts';
import { requestPath } from './api.ts';
import { findingsIn, renderServerFindings, verdictOn } from './findings.ts';
import { asJson, visibleLines } from './output.ts';
import type { ConfigText } from './read-config.ts';
import type { FindingJson, SavedJson } from './response-types.ts';
import type { TeamCommandContext } from './team-options.ts';

/** Further fields of the JSON output. */
type Besides = Record<string, unknown>;

/** Validates a text on the server without saving it. */
export async function judge(
  { api, options, terminal }: TeamCommandContext,
  { config, vars }: { config: string; vars: Record<string, string> },
  text: ConfigText,
  besides: Besides = {},
): Promise<Exit> {
  const path = requestPath('teams', options.team, 'pipelines', 'validate');
  const { data } = await api.ask<{ findings: FindingJson[] }>('POST', path, { config, vars });
  const { findings } = data;
  const valid = !findings.some(isErrorFinding);
  const paint = painter(terminal);
  terminal.out(
    options.output === 'json'
      ? asJson({ valid, findings, ...besides })
      : `${renderServerFindings(findings, text, paint)}${verdictOn(findings, text, paint)}`,
  );
  return valid ? EXIT.fine : EXIT.wrong;
}

export interface Carried {
  /** Past tense, for the output: `created`. */
  verb: string;
  text: ConfigText;
  besides?: Besides;
}

/** Creates or updates a pipeline and prints the result. A pipeline that does not run yet is no success. */
export async function carryOut(
  { options, terminal }: Pick<TeamCommandContext, 'options' | 'terminal'>,
  ask: () => Promise<SavedJson>,
  { verb, text, besides = {} }: Carried,
): Promise<Exit> {
  const paint = painter(terminal);
  let made: SavedJson;
  try {
    made = await ask();
  } catch (error) {
    const findings = findingsIn(error);
    if (findings === undefined) throw error;
    terminal.out(
      options.output === 'json'
        ? asJson({ valid: false, findings })
        : `${renderServerFindings(findings, text, paint)}${verdictOn(findings, text, paint)}`,
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
    terminal.out(`${renderServerFindings(made.warnings, text, paint)}${team}/${name}: ${verb}, ${state}\n`);
  }
  return made.ready ? EXIT.fine : EXIT.wrong;
}
