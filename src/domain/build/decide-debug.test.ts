import { describe, expect, test } from '@jest/globals';
import { decideDebug, type DebugTarget, type RunningStep } from './decide-debug.ts';

const unit: RunningStep = { id: '1', kind: 'task', name: 'unit' };
const lint: RunningStep = { id: '2.0', kind: 'task', name: 'lint' };
const otherLint: RunningStep = { id: '2.1', kind: 'task', name: 'lint' };

const decide = (more: Partial<DebugTarget>, requestedStep?: string) =>
  decideDebug(
    { team: 'main', allowed: true, started: true, ended: false, steps: [unit], ...more },
    requestedStep,
  );

describe('a person gets a shell in', () => {
  const cases: Record<string, [Partial<DebugTarget>, requestedStep: string | undefined, RunningStep]> = {
    'the only step that runs': [{}, undefined, unit],
    'the step with the requested name': [{ steps: [unit, lint] }, 'lint', lint],
    'the step with the requested kind and name': [{ steps: [unit, lint] }, 'task lint', lint],
    'the step with the requested kind and name, joined by a full stop': [
      { steps: [unit, lint] },
      'task.lint',
      lint,
    ],
    'the step with the requested id, if two steps have the same name': [
      { steps: [lint, otherLint] },
      '2.1',
      otherLint,
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [target, requestedStep, step]) => {
    expect(decide(target, requestedStep)).toEqual({ answer: 'step', step });
  });
});

describe('a person gets no shell', () => {
  const cases: Record<
    string,
    [Partial<DebugTarget>, requestedStep: string | undefined, code: string, message: string]
  > = {
    'in a build of a team that does not allow shells': [
      { allowed: false, ended: true },
      undefined,
      'DebugNotAllowed',
      'Team main does not allow shells in its builds. An admin of the team can allow them: ' +
        'set spec.debug: true in the Team, or "debug": true over the API.',
    ],
    'in a build that has ended': [
      { ended: true, started: false },
      undefined,
      'NoRunningStep',
      'The build has ended. A shell needs a step that runs.',
    ],
    'in a build that has not started': [
      { started: false },
      undefined,
      'NoRunningStep',
      'The build has not started, so no step runs.',
    ],
    'while no step runs': [{ steps: [] }, 'unit', 'NoRunningStep', 'No step runs at the moment.'],
    'in a step that does not run': [
      { steps: [unit, lint] },
      'deploy',
      'NoRunningStep',
      'No step deploy runs at the moment. Running: task unit, task lint.',
    ],
    'without a name while several steps run': [
      { steps: [unit, lint, otherLint] },
      undefined,
      'NoRunningStep',
      'Several steps run: task unit, task lint (2.0), task lint (2.1). Name one of them.',
    ],
    'by a name that two steps have': [
      { steps: [unit, lint, otherLint] },
      'lint',
      'NoRunningStep',
      'Several steps run: task lint (2.0), task lint (2.1). Name one of them.',
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [target, requestedStep, code, message]) => {
    expect(decide(target, requestedStep)).toEqual({ answer: 'refused', reason: { code, message } });
  });
});
