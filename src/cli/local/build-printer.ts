import { ScreenText } from '#cli/client/screen-text.ts';
import { durationOf, renderTable, statusCell } from '#cli/output.ts';
import { painter, type Terminal } from '#cli/terminal.ts';
import type { BuildEvent, StepStatus } from '#domain/build/events.ts';
import { visible } from '#domain/graph/measure-label.ts';
import type { StepRecord } from '#domain/planning/step-records.ts';
import type { Withheld } from './choose-steps.ts';

interface Shown {
  title: string;
  startedAt?: string;
  endedAt?: string;
  status?: StepStatus;
  message?: string;
  rest: string;
  screen: ScreenText;
}

/** Prints the log on standard output, each line with its step, and everything else on standard error. */
export class BuildPrinter {
  readonly #terminal: Terminal;
  readonly #records: readonly StepRecord[];
  readonly #withheld: ReadonlyMap<string, Withheld>;
  readonly #steps = new Map<string, Shown>();

  constructor(terminal: Terminal, records: readonly StepRecord[], withheld: ReadonlyMap<string, Withheld>) {
    this.#terminal = terminal;
    this.#records = records;
    this.#withheld = withheld;
    const titles = new Map<string, string>();
    for (const record of records) {
      const title = titleOf(record, titles);
      titles.set(record.id, title);
      this.#steps.set(record.id, { title, rest: '', screen: new ScreenText(terminal.colour) });
    }
  }

  event(event: BuildEvent): void {
    if (event.type === 'build-ended') return;
    const step = this.#steps.get(event.step);
    if (step === undefined) return;
    switch (event.type) {
      case 'step-started':
        this.#start(step, event);
        break;
      case 'log':
        this.#log(step, event.text);
        break;
      case 'step-ended':
        this.#end(step, event);
        break;
      default:
        throw new Error('an event of unknown type');
    }
  }

  /** A line about the run, not of a step. */
  note(line: string): void {
    this.#say(`── ${line}`);
  }

  /** Everything that ran, with how and when it ended. */
  summary(): string {
    const ended = this.#records.flatMap(({ id }) => {
      const step = this.#steps.get(id);
      return step?.status === undefined ? [] : [{ ...step, shown: this.#statusOf(id, step.status) }];
    });
    const rows = ended.map((step) => [statusCell(step.shown), timeOf(step), step.title, step.message ?? '']);
    return renderTable(['STATUS', 'TOOK', 'STEP', 'WHY'], rows, painter(this.#terminal));
  }

  /** The log itself has a line for each further attempt. */
  #start(step: Shown, { at }: BuildEvent & { type: 'step-started' }): void {
    if (step.startedAt === undefined) this.#say(`── ${step.title}`);
    step.startedAt ??= at;
  }

  #log(step: Shown, text: string): void {
    const lines = (step.rest + text).split('\n');
    step.rest = lines.pop() ?? '';
    for (const line of lines) this.#line(step, line);
  }

  #end(step: Shown, { at, status, message, metadata = [] }: BuildEvent & { type: 'step-ended' }): void {
    if (step.rest !== '') this.#line(step, step.rest);
    step.rest = '';
    for (const { name, value } of metadata) this.#say(`── ${step.title}: ${visible(`${name}: ${value}`)}`);
    step.endedAt = at;
    step.status = status;
    if (message !== undefined) step.message = message;
  }

  /** Prints the last state of a line that was overwritten, as progress bars are. */
  #line({ title, screen }: Shown, line: string): void {
    const paint = painter(this.#terminal);
    const last = line.split('\r').findLast((part) => part !== '') ?? '';
    const text = this.#terminal.isScreen ? screen.push(last) : last;
    const uncoloured = this.#terminal.colour && text.includes('\u001b') ? '\u001b[0m' : '';
    this.#terminal.out(`${paint('cyan', `${title} |`)} ${text}${uncoloured}\n`);
  }

  #say(line: string): void {
    this.#terminal.err(`${painter(this.#terminal)('dim', line)}\n`);
  }

  #statusOf(id: string, status: StepStatus): string {
    return status === 'succeeded' ? (this.#withheld.get(id) ?? status) : status;
  }
}

/** `task unit`, or `task unit, on_failure shell` for a hook of it. */
function titleOf({ kind, name, hook, parent }: StepRecord, titles: ReadonlyMap<string, string>): string {
  const own = kind === 'command' || kind === 'parallel' || kind === 'service' ? name : `${kind} ${name}`;
  if (hook === undefined) return own;
  const of = parent === undefined ? undefined : titles.get(parent);
  return `${of === undefined ? '' : `${of}, `}${hook} ${own}`;
}

function timeOf({ startedAt, endedAt }: Shown): string {
  if (startedAt === undefined || endedAt === undefined) return '';
  return durationOf((Date.parse(endedAt) - Date.parse(startedAt)) * 1e6);
}
