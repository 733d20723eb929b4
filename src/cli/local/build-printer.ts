import { ScreenText } from '#cli/client/screen-text.ts';
import { durationOf, renderTable, statusCell } from '#cli/output.ts';
import { painter, type Terminal } from '#cli/terminal.ts';
import type { BuildEvent, StepStatus } from '#domain/build/events.ts';
import { stepTitle } from '#domain/build/step-title.ts';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import type { StepRecord } from '#domain/planning/step-records.ts';
import type { Withheld } from './apply-choices.ts';

interface PrintedStep {
  title: string;
  startedAt?: string;
  endedAt?: string;
  status?: StepStatus;
  message?: string;
  unfinishedLine: string;
  screen: ScreenText;
}

/** Prints the log on standard output, each line with its step, and everything else on standard error. */
export class BuildPrinter {
  readonly #terminal: Terminal;
  readonly #records: readonly StepRecord[];
  readonly #withheld: ReadonlyMap<string, Withheld>;
  readonly #steps = new Map<string, PrintedStep>();

  constructor(terminal: Terminal, records: readonly StepRecord[], withheld: ReadonlyMap<string, Withheld>) {
    this.#terminal = terminal;
    this.#records = records;
    this.#withheld = withheld;
    const titles = new Map<string, string>();
    for (const record of records) {
      const title = titleOf(record, titles);
      titles.set(record.id, title);
      this.#steps.set(record.id, { title, unfinishedLine: '', screen: new ScreenText(terminal.colour) });
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

  /** Prints a line about the whole run. */
  note(line: string): void {
    this.#printDimmed(`── ${line}`);
  }

  /** A table of the steps that ended, with their status, duration and message. */
  summary(): string {
    const ended = this.#records.flatMap(({ id }) => {
      const step = this.#steps.get(id);
      return step?.status === undefined ? [] : [{ ...step, shown: this.#statusOf(id, step.status) }];
    });
    const rows = ended.map((step) => [
      statusCell(step.shown),
      durationOfStep(step),
      step.title,
      step.message ?? '',
    ]);
    return renderTable(['STATUS', 'TOOK', 'STEP', 'WHY'], rows, painter(this.#terminal));
  }

  /** Announces the first attempt of a step. For further attempts, the log itself has a line. */
  #start(step: PrintedStep, { at }: BuildEvent & { type: 'step-started' }): void {
    if (step.startedAt === undefined) this.#printDimmed(`── ${step.title}`);
    step.startedAt ??= at;
  }

  #log(step: PrintedStep, text: string): void {
    const lines = (step.unfinishedLine + text).split('\n');
    step.unfinishedLine = lines.pop() ?? '';
    for (const line of lines) this.#printLogLine(step, line);
  }

  #end(step: PrintedStep, { at, status, message, metadata = [] }: BuildEvent & { type: 'step-ended' }): void {
    if (step.unfinishedLine !== '') this.#printLogLine(step, step.unfinishedLine);
    step.unfinishedLine = '';
    for (const { name, value } of metadata)
      this.#printDimmed(`── ${step.title}: ${replaceInvisible(`${name}: ${value}`)}`);
    step.endedAt = at;
    step.status = status;
    if (message !== undefined) step.message = message;
  }

  /** Prints the last state of a line that was overwritten, as progress bars are. */
  #printLogLine({ title, screen }: PrintedStep, line: string): void {
    const paint = painter(this.#terminal);
    const last = line.split('\r').findLast((part) => part !== '') ?? '';
    const text = this.#terminal.isScreen ? screen.push(last) : last;
    const reset = this.#terminal.colour && text.includes('\u001b') ? '\u001b[0m' : '';
    this.#terminal.out(`${paint('cyan', `${title} |`)} ${text}${reset}\n`);
  }

  #printDimmed(line: string): void {
    this.#terminal.err(`${painter(this.#terminal)('dim', line)}\n`);
  }

  #statusOf(id: string, status: StepStatus): string {
    return status === 'succeeded' ? (this.#withheld.get(id) ?? status) : status;
  }
}

/** `task unit`, or `task unit, on_failure shell` for a hook of it. */
function titleOf({ kind, name, hook, parent }: StepRecord, titles: ReadonlyMap<string, string>): string {
  const ownTitle = kind === 'service' ? name : stepTitle({ kind, name });
  if (hook === undefined) return ownTitle;
  const parentTitle = parent === undefined ? undefined : titles.get(parent);
  return `${parentTitle === undefined ? '' : `${parentTitle}, `}${hook} ${ownTitle}`;
}

function durationOfStep({ startedAt, endedAt }: PrintedStep): string {
  if (startedAt === undefined || endedAt === undefined) return '';
  return durationOf((Date.parse(endedAt) - Date.parse(startedAt)) * 1e6);
}
