import { describe, expect, test } from '@jest/globals';
import type { CustomCommand } from '#domain/pipeline/command.ts';
import { fillTemplates } from './fill-templates.ts';

const ssh: CustomCommand = {
  runner: 'custom',
  name: 'ssh',
  path: '/usr/bin/${program}',
  args: ['-p$port', '$host', 'cd $WORKDIR;', '$args', '$unknown'],
  attributes: { program: 'ssh', port: '22', host: '$port.example' },
  callerArgs: ['make', '$host'],
};

describe('the templates of a runner', () => {
  test('expand attributes but not their values, insert all arguments of the caller, and keep unknown names', () => {
    expect(fillTemplates(ssh, '/workdir')).toEqual({
      path: '/usr/bin/ssh',
      args: ['-p22', '$port.example', 'cd /workdir;', 'make', '$host', '$unknown'],
      environmentAt: [],
    });
  });

  test('mark the places where $env stood', () => {
    const args = ['run', '$env', '$args', '$env'];
    expect(fillTemplates({ ...ssh, args })).toMatchObject({
      args: ['run', 'make', '$host'],
      environmentAt: [1, 3],
    });
  });

  test('keep $WORKDIR if the working directory is unknown', () => {
    expect(fillTemplates(ssh).args[2]).toBe('cd $WORKDIR;');
  });

  test('do not expand names of JavaScript properties', () => {
    expect(fillTemplates({ ...ssh, path: '$toString', args: ['$constructor'] })).toEqual({
      path: '$toString',
      args: ['$constructor'],
      environmentAt: [],
    });
  });
});
