import { secondsOf } from '#domain/language/duration.ts';
import type { Conversion } from './conversion.ts';
import { durationText } from './convert-resources.ts';
import type { ConvertedPlace, ConvertStep, JobScope } from './step-scope.ts';
import { isTry, stopsAtFailure, type HOOK_NAMES } from './step-tree.ts';
import { hclAttribute, hclBlock, quoteText, type HclNode } from './write-hcl.ts';
import type { YamlFields } from './yaml-fields.ts';
import type { YamlEntry } from './yaml-tree.ts';

/** Writes `timeout` and `attempts`. */
export function writeAttempts(fields: YamlFields, body: HclNode[], conversion: Conversion): void {
  const entry = fields.entry('timeout');
  const text = fields.text('timeout');
  if (entry && text !== undefined) writeTimeout(text, { entry, body }, conversion);
  const attempts = fields.number('attempts');
  const span = fields.tree('attempts')?.span ?? fields.span;
  if (attempts === undefined) return;
  if (!Number.isSafeInteger(attempts) || attempts < 1)
    conversion.error(span, 'attempts must be a whole number of at least 1', 'Correct it.');
  else if (attempts > MAX_ATTEMPTS)
    conversion.leaveOut(body, span, `attempts: ${attempts} is more than the maximum of ${MAX_ATTEMPTS}`);
  if (attempts > 1) body.push(hclAttribute('attempts', String(Math.min(attempts, MAX_ATTEMPTS))));
}

const MAX_ATTEMPTS = 100;
const MAX_TIMEOUT_SECONDS = 30 * 24 * 3600;

function writeTimeout(
  text: string,
  { entry, body }: { entry: YamlEntry; body: HclNode[] },
  conversion: Conversion,
): void {
  if (text.includes('((')) {
    conversion.leaveOut(body, entry.keySpan, 'timeout is a variable, and must be a fixed value here');
    return;
  }
  const seconds = secondsOf(text);
  if (seconds === undefined || seconds <= 0 || !Number.isFinite(seconds)) {
    conversion.error(entry.value.span, `timeout: "${text}" is not a duration`, 'Write 90s or 1h30m.');
    return;
  }
  if (seconds > MAX_TIMEOUT_SECONDS)
    conversion.leaveOut(body, entry.keySpan, `timeout: ${text} is longer than the maximum of 30 days`);
  body.push(hclAttribute('timeout', quoteText([durationText(Math.min(seconds, MAX_TIMEOUT_SECONDS))])));
}

/** The hooks of Millrace, by the Concourse hooks that they replace. */
const HOOKS: Readonly<Record<(typeof HOOK_NAMES)[number], string>> = {
  on_success: 'on_success',
  on_failure: 'on_failure',
  on_error: 'on_failure',
  on_abort: 'on_cancel',
  ensure: 'ensure',
};

const ERROR_CONVERTED = 'on_error becomes on_failure: in Millrace, an error is a failure';
const ERROR_LEFT_OUT = 'on_error is left out: in Millrace, an error is a failure, so on_failure runs';

/** Writes the hooks of a step or job. A step inside a hook cannot have hooks, so its hooks are reported. */
export function writeHooks(
  fields: YamlFields,
  {
    body,
    place,
    scope,
    convert,
  }: { body: HclNode[]; place: ConvertedPlace; scope: JobScope; convert: ConvertStep },
): void {
  for (const [name, counterpart] of Object.entries(HOOKS)) {
    const entry = fields.entry(name);
    if (!entry) continue;
    if (place === 'hook') {
      scope.conversion.leaveOut(
        body,
        entry.keySpan,
        `${name} has no counterpart: a step in a hook has no hooks`,
      );
      continue;
    }
    if (name === 'on_error') {
      const hasOnFailure = fields.entry('on_failure') !== undefined;
      scope.conversion.leaveOut(body, entry.keySpan, hasOnFailure ? ERROR_LEFT_OUT : ERROR_CONVERTED);
      if (hasOnFailure) continue;
    }
    const steps = convert(entry.value, 'hook', scope);
    if (!steps.some(({ kind }) => kind === 'block')) {
      body.push(...steps);
      continue;
    }
    reportIgnoredFailures(entry, body, scope.conversion);
    body.push(hclBlock(counterpart, [], steps));
  }
}

/**
 * Reports failures of a hook that Millrace ignores. In Concourse, a failed `on_success` or `ensure` fails the
 * build, and a failed step of a hook skips the later steps of the hook.
 */
function reportIgnoredFailures(
  { key, keySpan, value }: YamlEntry,
  body: HclNode[],
  conversion: Conversion,
): void {
  if (['on_success', 'ensure'].includes(key) && !isTry(value))
    conversion.leaveOut(
      body,
      keySpan,
      `the result of ${key} has no counterpart: if the hook fails, the build does not fail`,
    );
  if (stopsAtFailure(value))
    conversion.leaveOut(
      body,
      keySpan,
      `the order in ${key} has no counterpart: its later steps run even if an earlier one fails`,
    );
}
