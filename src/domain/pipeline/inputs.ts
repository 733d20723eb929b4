import { defined } from '#defined';
import { keywordAt, labelAt, stringAt, stringsAt, valueAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Label } from '#domain/language/syntax.ts';
import { checkInputValue } from './input-values.ts';
import { checkName, claimName } from './name.ts';
import type { Input } from './pipeline.ts';

/** The inputs of a job. Reports two inputs that would set the same variable. */
export function readInputs(blocks: readonly ReadBlock[], report: Report): Input[] {
  const taken = new Map<string, Label>();
  return blocks.flatMap((block) => {
    const label = labelAt(block, 0);
    const variable = { text: inputVariable(label.text), range: label.range };
    const isNameValid = checkName(report, 'variable', 'input', label);
    const isUnique = claimName(taken, report, 'input', variable);
    const input = readInput(block, label.text, report);
    return isNameValid && isUnique && input ? [input] : [];
  });
}

/** `INPUT_<NAME>`, as every step sees it. */
export function inputVariable(name: string): string {
  return `INPUT_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

function readInput(block: ReadBlock, name: string, report: Report): Input | undefined {
  const type = typeOf(block);
  if (!type) return undefined;
  const description = stringAt(block, 'description');
  const options = readOptions(block, type, report);
  const fallback = readDefault(block, { type, options }, report);
  if (!options || fallback === undefined) return undefined;
  return {
    name,
    type,
    ...(description && { description: description.text }),
    ...(!block.attributes.has('default') && { required: true }),
    default: fallback,
    ...(type === 'choice' || type === 'list' ? { options } : {}),
  };
}

type InputType = Input['type'];
const inputTypes: readonly InputType[] = ['string', 'number', 'bool', 'choice', 'list'];

/** The type of the input. A string with options is a choice. */
function typeOf(block: ReadBlock): InputType | undefined {
  const type = inputTypes.find((known) => known === keywordAt(block, 'type'));
  return type === 'string' && block.attributes.has('options') ? 'choice' : type;
}

/** Reads the options. Returns undefined after reporting an error. */
function readOptions(block: ReadBlock, type: InputType, report: Report): string[] | undefined {
  const attribute = block.attributes.get('options');
  const options = [...new Set(stringsAt(block, 'options').map(({ text }) => text))];
  if (type === 'choice' && options.length === 0) {
    if (attribute && !attribute.value) return undefined;
    const message = 'a choice needs options';
    report(diagnose('input-options', attribute?.range ?? block.range, message));
    return undefined;
  }
  if (!attribute || type === 'choice' || type === 'list') return checkCommas(block, type, options, report);
  report(diagnose('input-options', attribute.nameRange, `an input of type ${type} has no options`));
  return undefined;
}

/** Reports options with a comma: the value of a list is one text, with commas between its elements. */
function checkCommas(
  block: ReadBlock,
  type: InputType,
  options: string[],
  report: Report,
): string[] | undefined {
  const refused =
    type === 'list' ? stringsAt(block, 'options').find(({ text }) => text.includes(',')) : undefined;
  if (refused)
    report(diagnose('input-options', refused.range, 'an option of a list cannot have a comma in it'));
  return refused ? undefined : options;
}

const defaultsByType: Record<Exclude<InputType, 'choice'>, string> = {
  string: '',
  number: '0',
  bool: 'false',
  list: '',
};

function readDefault(
  block: ReadBlock,
  { type, options }: { type: InputType; options: string[] | undefined },
  report: Report,
): string | undefined {
  const attribute = block.attributes.get('default');
  const value = valueAt(block, 'default');
  if (!attribute) return type === 'choice' ? (options?.[0] ?? '') : defaultsByType[type];
  if (!value) return undefined;
  const checked = checkInputValue({ type, ...defined({ options }) }, value);
  if ('text' in checked) return checked.text;
  report(diagnose('input-default', attribute.range, `default ${checked.reason}`));
  return undefined;
}
