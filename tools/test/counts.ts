import { stripVTControlCharacters } from 'node:util';

export interface Counts {
  passed: number;
  failed: number;
  /** Each failed test, with the first lines of the reason. */
  failures?: readonly string[];
}

/** Lines of a failure in the summary; the output of the gate has all of them. */
const MAX_FAILURE_LINES = 12;

/** The counts of a gate that has only one result. */
export function oneIf(good: boolean): Counts {
  return good ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

export function sum(all: readonly Counts[]): Counts {
  return {
    passed: all.reduce((total, { passed }) => total + passed, 0),
    failed: all.reduce((total, { failed }) => total + failed, 0),
    failures: all.flatMap(({ failures = [] }) => failures),
  };
}

/**
 * Reads jest's --json. A missing or invalid report, a run without any test, a suite that could not run, and a
 * bad exit code without a failed test count as one failure each.
 */
export function countJest(report: string | undefined, code: number): Counts {
  const facts = parseObject(report);
  if (facts === undefined) return oneIf(false);
  const passed = numberIn(facts, 'numPassedTests');
  const failed = numberIn(facts, 'numFailedTests') + numberIn(facts, 'numRuntimeErrorTestSuites');
  return { ...withHiddenFailure({ passed, failed }, code), failures: jestFailures(facts) };
}

/** Counts a failure that no test shows: no test ran, or the exit code is bad although no test failed. */
function withHiddenFailure({ passed, failed }: Counts, code: number): Counts {
  if (failed > 0 || (passed > 0 && code === 0)) return { passed, failed };
  return { passed, failed: 1 };
}

function jestFailures(facts: Record<string, unknown>): string[] {
  return objectsIn(facts, 'testResults').flatMap((suite) => {
    const tests = objectsIn(suite, 'assertionResults').filter(({ status }) => status === 'failed');
    const file = textIn(suite, 'name');
    if (tests.length > 0) return tests.map((failed) => describeFailure(file, failed));
    return suite['status'] === 'failed' ? [`${file}\n${firstLines(textIn(suite, 'message'))}`] : [];
  });
}

function describeFailure(file: string, failed: Record<string, unknown>): string {
  const messages = failed['failureMessages'];
  const reason = Array.isArray(messages) ? messages.join('\n') : '';
  return `${file} › ${textIn(failed, 'fullName')}\n${firstLines(reason)}`;
}

function firstLines(text: string): string {
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines
    .slice(0, MAX_FAILURE_LINES)
    .map((line) => `    ${line}`)
    .join('\n');
}

/**
 * Reads `go test -json`: tests and subtests count. A run without any test, and a bad exit code without a
 * failed test, count as one failure.
 */
export function countGo(lines: readonly string[], code: number): Counts {
  const events = lines.map(parseObject).filter((event) => event !== undefined);
  const ended = (action: string) =>
    events.filter((event) => event['Action'] === action && typeof event['Test'] === 'string').length;
  return withHiddenFailure({ passed: ended('pass'), failed: ended('fail') }, code);
}

function parseObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}

function objectsIn(facts: Record<string, unknown>, name: string): Record<string, unknown>[] {
  const value: unknown = facts[name];
  return Array.isArray(value) ? value.map((entry: unknown) => Object.assign({}, entry)) : [];
}

function textIn(facts: Record<string, unknown>, name: string): string {
  const value = facts[name];
  return typeof value === 'string' ? value : '';
}

function numberIn(facts: Record<string, unknown>, name: string): number {
  const value = facts[name];
  return typeof value === 'number' ? value : 0;
}
