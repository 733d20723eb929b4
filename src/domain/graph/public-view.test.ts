import { describe, expect, test } from '@jest/globals';
import type { Command } from '#domain/pipeline/command.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { Step } from '#domain/pipeline/steps.ts';
import { job, pipelineOf } from '#testing/pipelines/pipelines-to-draw.ts';
import { publicStructure, type PublicStructureStep } from './public-view.ts';

const SECRET = 'planted';
const run: Command = { runner: 'shell', cmd: SECRET };

const steps: Record<string, { step: Step; shown: PublicStructureStep }> = {
  'a get shows its resource, what it passed and whether it triggers the job': {
    step: {
      kind: 'get',
      name: 'app',
      resource: 'git.app',
      trigger: true,
      passed: ['unit'],
    },
    shown: { kind: 'get', name: 'app', resource: 'git.app', passed: ['unit'], trigger: true },
  },
  'a task shows its name and nothing of its command': {
    step: { kind: 'task', name: 'test', run, inputs: [SECRET], outputs: [SECRET] },
    shown: { kind: 'task', name: 'test' },
  },
  'a put shows its resource and none of its parameters': {
    step: { kind: 'put', name: 'app', resource: 'git.app', params: { tag: SECRET } },
    shown: { kind: 'put', name: 'app', resource: 'git.app' },
  },
  'a notification shows its name and not its message': {
    step: { kind: 'notify', notification: 'chat.team', message: SECRET, params: { room: SECRET } },
    shown: { kind: 'notify', name: 'chat.team' },
  },
  'a service shows its type': {
    step: { kind: 'service', type: 'postgres', params: { password: SECRET } },
    shown: { kind: 'service', name: 'postgres' },
  },
  'a group shows its steps': {
    step: { kind: 'parallel', failFast: true, steps: [{ kind: 'task', name: 'test', run }] },
    shown: { kind: 'parallel', steps: [{ kind: 'task', name: 'test' }] },
  },
  'branches show their steps one after the other and not their conditions': {
    step: {
      kind: 'branch',
      branches: [
        { condition: SECRET, steps: [{ kind: 'put', name: 'a', resource: 'git.a', params: {} }] },
        { condition: SECRET, steps: [{ kind: 'put', name: 'b', resource: 'git.b', params: {} }] },
      ],
    },
    shown: {
      kind: 'branch',
      steps: [
        { kind: 'put', name: 'a', resource: 'git.a' },
        { kind: 'put', name: 'b', resource: 'git.b' },
      ],
    },
  },
};

describe('the public view of a pipeline', () => {
  test.each(Object.entries(steps))('%s', (_name, { step, shown }) => {
    expect(publicStructure(pipelineOf(job('unit', step))).jobs).toEqual([{ name: 'unit', steps: [shown] }]);
  });

  test('shows the name of a type, and no command, parameter or origin', () => {
    const pipeline: Pipeline = {
      ...pipelineOf(),
      resourceTypes: [
        {
          name: 'mine',
          builtIn: false,
          params: [SECRET],
          cache: false,
          check: run,
          origin: { source: SECRET },
        },
      ],
      resources: [
        { name: 'mine.app', type: 'mine', label: 'app', params: { url: SECRET }, tags: [], cache: false },
      ],
      secrets: [],
    };
    expect(publicStructure(pipeline)).toEqual({ jobs: [], resourceTypes: [{ id: 'mine', name: 'mine' }] });
  });
});
