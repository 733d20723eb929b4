import { html, type Html } from './html.ts';

type Values = Readonly<Record<string, string | undefined>>;

/**
 * What is wrong with a form. The message appears beside the field with the name `field`, or above the form if
 * no field is the cause.
 */
export interface FieldProblem {
  field: string | undefined;
  message: string;
}

/** What a person entered into a form. `problem`: why it was refused; absent if it was not. */
export interface FormState {
  values: Values;
  problem?: FieldProblem;
}

export const EMPTY_FORM: FormState = { values: {} };

/**
 * Finds the field that a message of the API is about. A message of the schema validation names the field, as
 * in `body/name must be string`. Any other message is about `defaultField`, or about no field if that is
 * undefined.
 */
export function fieldProblem(
  message: string,
  fields: readonly string[],
  defaultField?: string,
): FieldProblem {
  const [, name = '', rule = ''] = /^(?:body|params)\/(?:[\w/]+\/)?(\w+) must (.+)$/.exec(message) ?? [];
  if (!fields.includes(name)) return { field: defaultField, message };
  if (rule.startsWith('match pattern')) return { field: name, message: 'This value is not allowed here.' };
  if (rule.startsWith('NOT have fewer than 1 ')) return { field: name, message: 'Enter a value.' };
  return { field: name, message: `It must ${rule.replace('NOT', 'not')}.` };
}

interface FieldParts {
  /** Unique on the page, unlike `name`: two forms of one page may have fields of the same name. */
  id: string;
  name: string;
  label: string;
  help?: string;
  state: FormState;
  required?: boolean;
}

interface TextParts extends FieldParts {
  type?: 'text' | 'password' | 'date' | 'url' | 'search';
  maxLength?: number;
  /** How many lines the field shows. Absent: a field for one line. */
  lines?: number;
  autocomplete?: string;
  /** The value before the person has entered one. */
  preset?: string | undefined;
  /** Whether the server must not send the value back, as with a password. */
  secret?: boolean;
  /** Names that the browser suggests. */
  suggestions?: readonly string[];
}

export function textField(parts: TextParts): Html {
  const { maxLength = 200, lines, autocomplete = 'off' } = parts;
  const common = html`${attributes(parts)} maxlength="${maxLength}" autocomplete="${autocomplete}"
  spellcheck="false"`;
  if (lines === undefined) return labelled(parts, inputControl(parts, common));
  return labelled(parts, html`<textarea rows="${lines}" ${common}>${valueOf(parts)}</textarea>`);
}

function valueOf({ name, state, preset, secret = false }: TextParts): string | undefined {
  return secret ? '' : (state.values[name] ?? preset);
}

function inputControl(parts: TextParts, common: Html): Html {
  const { id, type = 'text', suggestions = [] } = parts;
  const list = suggestions.length === 0 ? html`` : html` list="${id}-list"`;
  return html`<input type="${type}" ${common}${list} value="${valueOf(parts)}" />${
      suggestions.length > 0 &&
      html`<datalist id="${id}-list">
        ${suggestions.map((suggestion) => html`<option value="${suggestion}"></option>`)}
      </datalist>`
    }`;
}

export interface Choice {
  value: string;
  label: string;
}

export function selectField(parts: FieldParts & { choices: readonly Choice[]; preset?: string }): Html {
  const chosen = parts.state.values[parts.name] ?? parts.preset;
  return labelled(
    parts,
    html`<select ${attributes(parts)}>
      ${options(parts.choices, chosen)}
    </select>`,
  );
}

export function options(choices: readonly Choice[], chosen: string | undefined): Html {
  return html`${choices.map(
    ({ value, label }) =>
      html`<option value="${value}" ${value === chosen && html` selected`}>${label}</option>`,
  )}`;
}

/** A checkbox. Its value is `yes` if it is ticked. */
export function checkField(parts: FieldParts & { preset?: boolean }): Html {
  const { id, label, name, state, preset = false, help } = parts;
  // Browsers do not send a box that is not ticked. So if the form was sent, a missing value means not ticked.
  const isTicked = Object.keys(state.values).length > 0 ? state.values[name] === 'yes' : preset;
  return html`<div class="team-field">
    <input type="checkbox" value="yes" ${attributes(parts)}${isTicked && html` checked`} />
    <label for="${id}">${label}</label>
    ${helpText(id, help)}${problemText(parts)}
  </div>`;
}

function labelled(parts: FieldParts, control: Html): Html {
  const { id, label, help } = parts;
  return html`<div class="team-field">
    <label for="${id}">${label}</label>
    ${control} ${helpText(id, help)}${problemText(parts)}
  </div>`;
}

function problemOf({ name, state: { problem } }: FieldParts): string | undefined {
  return problem?.field === name ? problem.message : undefined;
}

function attributes(parts: FieldParts): Html {
  const { id, name, help, required = false } = parts;
  const isWrong = problemOf(parts) !== undefined;
  const descriptionIds = [help === undefined ? '' : `${id}-help`, isWrong ? `${id}-problem` : '']
    .filter((descriptionId) => descriptionId !== '')
    .join(' ');
  return html`id="${id}"
  name="${name}"${required && html` required`}${
    descriptionIds !== '' && html` aria-describedby="${descriptionIds}"`
  }${isWrong && html` aria-invalid="true" autofocus`}`;
}

function helpText(id: string, help: string | undefined): Html {
  return help === undefined ? html`` : html`<span class="help" id="${id}-help">${help}</span>`;
}

function problemText(parts: FieldParts): Html {
  const message = problemOf(parts);
  return message === undefined
    ? html``
    : html`<span class="team-problem" role="alert" id="${parts.id}-problem">${message}</span>`;
}

/** The problem of a form if no field caused it. */
export function formProblem({ problem }: FormState): Html {
  return problem === undefined || problem.field !== undefined
    ? html``
    : html`<p class="alert" role="alert">${problem.message}</p>`;
}
