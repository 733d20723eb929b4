import type { GivenInputs } from '#domain/pipeline/input-values.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';
import { html, type Html } from './html.ts';
import { csrfField, type Viewer } from './layout.ts';

/** Limit of a field of a form, in characters. The API takes longer values. */
export const MAX_FIELD_LENGTH = 2048;

/*
 * Names of fields say how to read them, since a form has only texts and does not send boxes that are not
 * ticked: `text.<input>` is the value, `filled.<input>` the value unless it is empty, and `list.<input>` the
 * values of all `item.<number>.<input>`.
 */

export const checkFirstField = html`<input
    type="checkbox"
    id="check-first"
    name="check"
    value="true"
    checked
  />
  <label for="check-first">Check for new versions first</label>`;

/** The form of a job with inputs. It stands outside of what live updates replace: someone may be typing. */
export function startForm(url: string, inputs: readonly Input[], viewer: Viewer | undefined): Html {
  return html`<section aria-labelledby="start">
    <h2 id="start">Start a build</h2>
    <form method="post" action="${url}">
      ${csrfField(viewer)} ${inputs.map(inputField)}
      <p>${checkFirstField}</p>
      <p><button type="submit">Start a build</button></p>
    </form>
  </section>`;
}

function inputField(input: Input): Html {
  if (input.type === 'list' && optionsOf(input).length > 0) return boxes(input);
  const id = `input-${input.name}`;
  return html`<p>
    <label for="${id}">${input.name}</label>
    ${control(input, id)} ${help(input)}
  </p>`;
}

const optionsOf = ({ type, options = [] }: Input): readonly string[] =>
  type === 'bool' ? ['true', 'false'] : options;

const helpOf = ({ type, description = '' }: Input): string =>
  type === 'list' ? `${description} Separate values by commas.`.trim() : description;

function help(input: Input): Html {
  const text = helpOf(input);
  return html`${text !== '' && html`<span class="help" id="help-${input.name}">${text}</span>`}`;
}

const describedBy = (input: Input): Html =>
  html`${helpOf(input) !== '' && html` aria-describedby="help-${input.name}"`}`;

function control(input: Input, id: string): Html {
  const { name, type, required = false, default: preset } = input;
  if (type === 'bool' || type === 'choice') return select(input, id);
  const common = html`${describedBy(input)}${required && html` required`}`;
  const value = required ? '' : preset;
  if (type === 'number')
    return html`<input
      id="${id}"
      name="filled.${name}"
      type="number"
      step="any"
      value="${value}"
      ${common}
    />`;
  if (preset.includes('\n'))
    return html`<textarea id="${id}" name="text.${name}" rows="5" maxlength="${MAX_FIELD_LENGTH}" ${common}>
${value}</textarea>`;
  return html`<input
    id="${id}"
    name="text.${name}"
    value="${value}"
    maxlength="${MAX_FIELD_LENGTH}"
    autocomplete="off"
    ${common}
  />`;
}

function select(input: Input, id: string): Html {
  const { name, required = false, default: preset } = input;
  return html`<select id="${id}" name="text.${name}" ${describedBy(input)}${required && html` required`}>
    ${required && html`<option value="">Choose one</option>`}
    ${optionsOf(input).map(
      (option) =>
        html`<option value="${option}" ${!required && option === preset && html` selected`}>
          ${option}
        </option>`,
    )}
  </select>`;
}

function boxes(input: Input): Html {
  const { name, required = false, description, default: preset } = input;
  const chosen = required || preset === '' ? [] : preset.split(',');
  return html`<fieldset>
    <legend>${name}</legend>
    ${description !== undefined && html`<p class="help">${description}</p>`}
    <input type="hidden" name="list.${name}" value="" />
    ${optionsOf(input).map((option, index) => {
      const id = `input-${name}-${index}`;
      return html`<p>
        <input
          type="checkbox"
          id="${id}"
          name="item.${index}.${name}"
          value="${option}"
          ${chosen.includes(option) && html` checked`}
        />
        <label for="${id}">${option}</label>
      </p>`;
    })}
  </fieldset>`;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** Converts a submitted form into the body of a trigger request. */
export function triggerBody(fields: Fields): { inputs?: GivenInputs } {
  const sent = Object.entries(fields).flatMap(([field, value]): [string, string | string[]][] => {
    const [, kind, name] = /^(text|filled|list)\.(.+)$/s.exec(field) ?? [];
    if (name === undefined || value === undefined) return [];
    if (kind === 'list') return [[name, itemsOf(fields, name)]];
    // Browsers send line breaks as two characters.
    return kind === 'filled' && value === '' ? [] : [[name, value.replaceAll('\r\n', '\n')]];
  });
  return sent.length === 0 ? {} : { inputs: Object.fromEntries(sent) };
}

function itemsOf(fields: Fields, list: string): string[] {
  const items = Object.entries(fields).flatMap(([field, value = '']): [number, string][] => {
    const [, index, name] = /^item\.(\d+)\.(.+)$/s.exec(field) ?? [];
    return name === list ? [[Number(index), value]] : [];
  });
  return items.toSorted(([a], [b]) => a - b).map(([, value]) => value);
}
