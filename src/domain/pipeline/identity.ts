import { labelAt, stringAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Label } from '#domain/language/syntax.ts';
import { checkName, claimName } from './name.ts';
import type { IdentityRequest } from './pipeline.ts';

/** Limited, because each step fetches and masks every token of its job. */
export const MAX_IDENTITIES = 5;
const audiencePattern = /^[!-~]{1,255}$/;

/** The identity tokens that a job requests. Reports two that would set the same variable. */
export function readIdentities(blocks: readonly ReadBlock[], report: Report): IdentityRequest[] {
  const taken = new Map<string, Label>();
  const [extra] = blocks.slice(MAX_IDENTITIES);
  if (extra) {
    const message = `the job has ${blocks.length} identity blocks; at most ${MAX_IDENTITIES} are allowed`;
    report(diagnose('invalid-identity', extra.range, message, 'Remove some.'));
  }
  return blocks.flatMap((block) => {
    const label = block.labels.length === 0 ? undefined : labelAt(block, 0);
    const isNameValid = label === undefined || checkName(report, 'variable', 'identity', label);
    const variable = { text: identityVariable(label?.text), range: label?.range ?? block.range };
    const isUnique = claimName(taken, report, 'identity', variable);
    const audience = readAudience(block, report);
    if (!isNameValid || !isUnique || audience === undefined) return [];
    return [{ ...(label && { name: label.text }), audience }];
  });
}

/** `MILLRACE_ID_TOKEN`, or `MILLRACE_ID_TOKEN_<NAME>`. */
export function identityVariable(name: string | undefined): string {
  const variable = 'MILLRACE_ID_TOKEN';
  return name === undefined ? variable : `${variable}_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

function readAudience(block: ReadBlock, report: Report): string | undefined {
  const audience = stringAt(block, 'audience');
  if (audience === undefined || audiencePattern.test(audience.text)) return audience?.text;
  const shown =
    audience.text.length > 255 ? 'a text of more than 255 characters' : JSON.stringify(audience.text);
  report(diagnose('invalid-identity', audience.range, `${shown} cannot be an audience`));
  return undefined;
}
