import { onOneLine } from '#domain/language/diagnostic.ts';
import type { ConvertedResource } from './converted-resource.ts';
import { VariableTable } from './variable-table.ts';
import type { HclNode } from './write-hcl.ts';
import type { YamlSpan } from './yaml-tree.ts';

/** An error in the input, or a warning that the output differs from it. */
export interface ConversionNote {
  severity: 'error' | 'warning';
  message: string;
  help: string;
  span: YamlSpan;
}

const NO_COUNTERPART_HELP = 'A comment in the output marks the place.';

/** The state of one conversion: what it has found in the Concourse pipeline so far. */
export class Conversion {
  readonly notes: ConversionNote[] = [];
  readonly variables: VariableTable;
  /** The converted resources, by their names in Concourse. */
  readonly resources = new Map<string, ConvertedResource>();
  /** The names of jobs in Millrace, by the names of the jobs in Concourse. */
  readonly jobs = new Map<string, string>();
  /** The names of serial groups in Millrace, by the names of the groups in Concourse. */
  readonly serialGroups = new Map<string, string>();
  /**
   * The fields that references such as `((.:name.field))` read, by the name of the variable. Fields of fields
   * are joined by dots. An empty text means the whole value.
   */
  readonly localFields = new Map<string, Set<string>>();

  constructor(fixedValues: ReadonlyMap<string, unknown>) {
    this.variables = new VariableTable(fixedValues);
  }

  /** Reports an error. The output is incomplete then. */
  error(span: YamlSpan, message: string, help: string): void {
    this.notes.push({ severity: 'error', message: onOneLine(message), help, span });
  }

  warn(span: YamlSpan, message: string, help = NO_COUNTERPART_HELP): void {
    this.notes.push({ severity: 'warning', message: onOneLine(message), help, span });
  }

  /**
   * Reports a part of the input that is missing or different in the output: adds a comment with the text to
   * `body`, and reports a warning.
   */
  leaveOut(body: HclNode[], span: YamlSpan, text: string): void {
    body.push({ kind: 'comment', text: onOneLine(text) });
    this.warn(span, text);
  }
}
