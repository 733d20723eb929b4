import { diagnose, type Diagnostic } from './diagnostic.ts';
import { withValues, type BlockReader } from './evaluate-expression.ts';
import { describeValue, helpForType, type ValueSubject } from './help-for-type.ts';
import type { Value } from './syntax.ts';

/** Reports that a value does not have the type `expected`, such as `a string, number or bool`. */
export function wrongType(
  reader: BlockReader,
  subject: ValueSubject,
  expected: string,
  value: Value,
): undefined {
  reader.report(describeWrongType(reader, subject, expected, value));
}

/** The diagnostic that says that a value does not have the type `expected`. */
export function describeWrongType(
  reader: BlockReader,
  subject: ValueSubject,
  expected: string,
  value: Value,
): Diagnostic {
  const { name, range, expression } = subject;
  const message = `${name} must be ${expected}, not ${describeValue(value)}`;
  const diagnostic = diagnose('wrong-type', range, message, helpForType(subject, expected, value));
  return expression ? withValues(reader, expression, diagnostic) : diagnostic;
}
