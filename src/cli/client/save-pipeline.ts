import { isErrorFinding } from '#cli/finding.ts';
import { printResult, visibleLines } from '#cli/output.ts';
import { EXIT, painter, type Exit } from '#cli/terminal.ts';
import { requestPath } from './api.ts';
import { findingsIn, renderServerFindings, verdictOn } from './findings.ts';
import type { ConfigText } from './read-config.ts';
import type { FindingJson, SavedJson } from './response-types.ts';
import type { TeamCommandContext } from './team-options.ts';

/** Further fields of the JSON output. */
type ExtraFields = Record<string, unknown>;

/** Validates a text on the server without saving it. */
export async function validateAndPrint(
  { api, options, terminal }: TeamCommandContext,
  { config, vars }: { config: string; vars: Record<string, string> },
  text: ConfigText,
  extraFields: ExtraFields = {},
): Promise<Exit> {
  const path = requestPath('teams', options.team, 'pipelines', 'validate');
  const { data } = await api.ask<{ findings: FindingJson[] }>('POST', path, { config, vars });
  const { findings } = data;
  const valid = !findings.some(isErrorFinding);
  const paint = painter(terminal);
  await printResult(
    { valid, findings, ...extraFields },
    options,
    terminal,
    () => `${renderServerFindings(findings, text, paint)}${verdictOn(findings, text, paint)}`,
  );
  return valid ? EXIT.success : EXIT.failure;
}

export interface SaveOutput {
  /** What happened to the pipeline, for the output, such as `created`. */
  verb: string;
  text: ConfigText;
  extraFields?: ExtraFields;
}

/**
 * Calls `save`, which creates, updates or renames a pipeline, and prints the result. The command fails if the
 * pipeline does not run yet.
 */
export async function saveAndPrint(
  { options, terminal }: Pick<TeamCommandContext, 'options' | 'terminal'>,
  save: () => Promise<SavedJson>,
  { verb, text, extraFields = {} }: SaveOutput,
): Promise<Exit> {
  const paint = painter(terminal);
  let saved: SavedJson;
  try {
    saved = await save();
  } catch (error) {
    const findings = findingsIn(error);
    if (findings === undefined) throw error;
    await printResult(
      { valid: false, findings },
      options,
      terminal,
      () => `${renderServerFindings(findings, text, paint)}${verdictOn(findings, text, paint)}`,
    );
    return EXIT.failure;
  }
  await printResult({ ...saved, ...extraFields }, options, terminal, () => {
    const { team, name, ready, reason, message } = saved;
    const state = ready
      ? paint('green', 'it runs')
      : `${paint('yellow', 'it does not run yet')}: ${visibleLines([reason, message].filter(Boolean).join(': '))}`;
    return `${renderServerFindings(saved.warnings, text, paint)}${team}/${name}: ${verb}, ${state}\n`;
  });
  return saved.ready ? EXIT.success : EXIT.failure;
}
