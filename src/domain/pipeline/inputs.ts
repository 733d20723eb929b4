import { keywordAt, labelAt, textAt, textsAt, valueAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import { describeValue, textOf } from '#domain/language/help-for-type.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Label, Value } from '#domain/language/syntax.ts';
import { checkName, claimName } from './name.ts';
import type { Input } from './pipeline.ts';
import { valueOfText } from './variable-types.ts';

/** The fields of a job's form. Two that make the same variable are one too many. */
export function readInputs(blocks: readonly ReadBlock[], report: Report): Input[] {
  const taken = new Map<string, Label>();
  return blocks.flatMap((block) => {
    const label = labelAt(block, 0);
    const variable = { text: inputVariable(label.text), range: label.range };
    const sound = checkName(report, 'variable', 'input', label);
    const unique = claimName(taken, report, 'input', variable);
    const input = readInput(block, label.text, report);
    return sound && unique && input ? [input] : [];
  });
}

/** `INPUT_<NAME>`, as every step sees it. */
export function inputVariable(name: string): string {
  return `INPUT_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

function readInput(block: ReadBlock, name: string, report: Report): Input | undefined {
  const type = typeOf(block);
  if (!type) return undefined;
  const description = textAt(block, 'description');
  const options = readOptions(block, type, report);
  const fallback = readDefault(block, { type, options }, report);
  if (!options || fallback === undefined) return undefined;
  return {
    name,
    type,
    ...(description && { description: description.text }),
    default: fallback,
    ...(type === 'choice' || type === 'list' ? { options } : {}),
  };
}

type InputType = Input['type'];
const types: readonly InputType[] = ['string', 'number', 'bool', 'choice', 'list'];

/** A string that can be one of a few is a choice. */
function typeOf(block: ReadBlock): InputType | undefined {
  const type = types.find((known) => known === keywordAt(block, 'type'));
  return type === 'string' && block.attributes.has('options') ? 'choice' : type;
}

/** Undefined after reporting. */
function readOptions(block: ReadBlock, type: InputType, report: Report): string[] | undefined {
  const attribute = block.attributes.get('options');
  const options = [...new Set(textsAt(block, 'options').map(({ text }) => text))];
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

/** The elements of a list travel as one text with commas between them. */
function checkCommas(
  block: ReadBlock,
  type: InputType,
  options: string[],
  report: Report,
): string[] | undefined {
  const comma =
    type === 'list' ? textsAt(block, 'options').find(({ text }) => text.includes(',')) : undefined;
  if (comma) report(diagnose('input-options', comma.range, 'an option of a list cannot have a comma in it'));
  return comma ? undefined : options;
}

const zero: Record<Exclude<InputType, 'choice'>, string> = {
  string: '',
  number: '0',
  bool: 'false',
  list: '',
};

function readDefault(
  block: ReadBlock,
  { type, options = [] }: { type: InputType; options: string[] | undefined },
  report: Report,
): string | undefined {
  const attribute = block.attributes.get('default');
  const value = valueAt(block, 'default');
  if (!attribute) return type === 'choice' ? (options[0] ?? '') : zero[type];
  if (!value) return undefined;
  const refuse = (reason: string): undefined => {
    report(diagnose('input-default', attribute.range, `default ${reason}`));
  };
  const texts = textsOf(value, type);
  if (!texts) return refuse(`must be ${wanted[type]}, not ${describeValue(value)}`);
  const unknown = texts.find((text) => options.length > 0 && !options.includes(text));
  if (unknown !== undefined) return refuse(`${JSON.stringify(unknown)} is none of the options`);
  const comma = type === 'list' && texts.some((text) => text.includes(','));
  return comma ? refuse('of a list cannot have a comma in an element') : texts.join(',');
}

const wanted: Record<InputType, string> = {
  string: 'a string',
  number: 'a number',
  bool: 'true or false',
  choice: 'a string',
  list: 'a list of strings',
};

function textsOf(value: Value, type: InputType): string[] | undefined {
  if (type === 'list') return elementsOf(value);
  const kind = type === 'choice' ? 'string' : type;
  const written = value.kind === 'string' && kind !== 'string' ? readSpelling(kind, value.text) : value;
  const text = written?.kind === kind ? textOf(written) : undefined;
  return text === undefined ? undefined : [text];
}

function elementsOf(value: Value): string[] | undefined {
  const items = 'items' in value ? value.items : undefined;
  const texts = items?.flatMap((item) => (item.kind === 'string' ? [item.text] : []));
  return texts?.length === items?.length ? texts : undefined;
}

/** A number or bool in quotes is what the form would send, too. */
function readSpelling(type: 'number' | 'bool', text: string): Value | undefined {
  const read = valueOfText(type, text);
  return 'value' in read ? read.value : undefined;
}
