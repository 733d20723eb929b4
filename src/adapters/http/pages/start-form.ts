import type { Input } from '#domain/pipeline/pipeline.ts';
import { html, type Html } from './html.ts';
import { csrfField, type Viewer } from './layout.ts';

/** The limit of a field of a form, in characters. The API accepts longer values. */
export const MAX_FIELD_LENGTH = 2048;

/*
 * The names of fields say how to read them, because a form has only texts and does not send boxes that are
 * not ticked: `text.<input>` is the value, `filled.<input>` the value unless it is empty, and `list.<input>`
 * stands for the values of all `item.<number>.<input>`.
 */

/** A checkbox that is ticked at first: resources are then checked before the build. */
export const checkFirstField = html`<input
    type="checkbox"
    id="check-first"
    name="check"
    value="true"
    checked
  />
  <label for="check-first">Check for new versions first</label>`;

/** The values that somebody sent, and what is wrong with them, both by the name of the input. */
export interface RefusedStart {
  values: ReadonlyMap<string, string>;
  problems: ReadonlyMap<string, string>;
}

const NOTHING_REFUSED: RefusedStart = { values: new Map(), problems: new Map() };

/**
 * The form that starts a build of a job with inputs. Put it outside the element that live updates replace,
 * because someone may be typing in it.
 */
export function startForm(
  url: string,
  inputs: readonly Input[],
  viewer: Viewer | undefined,
  refused = NOTHING_REFUSED,
): Html {
  return html`<section aria-labelledby="start">
    <h2 id="start">Start a build</h2>
    <form method="post" action="${url}" class="job-start">
      ${csrfField(viewer)} ${inputs.map((input) => inputField(fieldOf(input, refused)))}
      <p>${checkFirstField}</p>
      <p><button type="submit">Start a build</button></p>
    </form>
  </section>`;
}

/** An input with the initial value of its field. `problem`: what was wrong with the value that was sent. */
interface Field extends Input {
  value: string;
  problem?: string | undefined;
}

function fieldOf(input: Input, { values, problems }: RefusedStart): Field {
  const { name, required = false, default: defaultValue } = input;
  return { ...input, value: values.get(name) ?? (required ? '' : defaultValue), problem: problems.get(name) };
}

function inputField(input: Field): Html {
  if (input.type === 'list' && optionsOf(input).length > 0) return checkboxes(input);
  const id = `input-${input.name}`;
  return html`<p>
    <label for="${id}">${input.name}</label>
    ${control(input, id)} ${help(input)} ${problemOf(input)}
  </p>`;
}

function problemOf({ name, problem }: Field): Html {
  return problem === undefined
    ? html``
    : html`<span class="job-problem" id="${`problem-${name}`}">${problem}</span>`;
}

const optionsOf = ({ type, options = [] }: Input): readonly string[] =>
  type === 'bool' ? ['true', 'false'] : options;

const helpText = ({ type, description = '' }: Input): string =>
  type === 'list' ? `${description} Separate values by commas.`.trim() : description;

function help(input: Input): Html {
  const text = helpText(input);
  return html`${text !== '' && html`<span class="help" id="help-${input.name}">${text}</span>`}`;
}

/** The attributes that refer to the help text of the field, and say whether its value was refused. */
function describedBy(input: Field): Html {
  const ids = [
    ...(helpText(input) === '' ? [] : [`help-${input.name}`]),
    ...(input.problem === undefined ? [] : [`problem-${input.name}`]),
  ];
  return html`${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}${
    input.problem !== undefined && html` aria-invalid="true"`
  }`;
}

function control(input: Field, id: string): Html {
  const { name, type, required = false, value } = input;
  if (type === 'bool' || type === 'choice') return select(input, id);
  const common = html`${describedBy(input)}${required && html` required`}`;
  if (type === 'number')
    return html`<input
      id="${id}"
      name="filled.${name}"
      type="number"
      step="any"
      value="${value}"
      ${common}
    />`;
  if (value.includes('\n'))
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

function select(input: Field, id: string): Html {
  const { name, required = false, value } = input;
  return html`<select id="${id}" name="text.${name}" ${describedBy(input)}${required && html` required`}>
    ${required && html`<option value="">Choose one</option>`}
    ${optionsOf(input).map(
      (option) => html`<option value="${option}" ${option === value && html` selected`}>${option}</option>`,
    )}
  </select>`;
}

function checkboxes(input: Field): Html {
  const { name, description, value } = input;
  const chosen = value === '' ? [] : value.split(',');
  return html`<fieldset ${input.problem !== undefined && html` aria-describedby="problem-${name}"`}>
    <legend>${name}</legend>
    ${description !== undefined && html`<p class="help">${description}</p>`} ${problemOf(input)}
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

/** The values in a form by the name of the input: a text, or the values of the ticked boxes. */
export type SentInputs = Readonly<Record<string, string | string[]>>;

/** Converts a submitted form into the body of a trigger request. */
export function triggerBody(fields: Fields): { inputs?: SentInputs } {
  const inputs = Object.entries(fields).flatMap(([field, value]): [string, string | string[]][] => {
    const [, kind, name] = /^(text|filled|list)\.(.+)$/s.exec(field) ?? [];
    if (name === undefined || value === undefined) return [];
    if (kind === 'list') return [[name, itemsOf(fields, name)]];
    // Browsers send line breaks as two characters.
    return kind === 'filled' && value === '' ? [] : [[name, value.replaceAll('\r\n', '\n')]];
  });
  return inputs.length === 0 ? {} : { inputs: Object.fromEntries(inputs) };
}

function itemsOf(fields: Fields, list: string): string[] {
  const items = Object.entries(fields).flatMap(([field, value = '']): [number, string][] => {
    const [, index, name] = /^item\.(\d+)\.(.+)$/s.exec(field) ?? [];
    return name === list ? [[Number(index), value]] : [];
  });
  return items.toSorted(([a], [b]) => a - b).map(([, value]) => value);
}
