import { describe, expect, test } from '@jest/globals';
import type { CustomCommand } from '#domain/pipeline/pipeline.ts';
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
  test('take attributes once, the list of arguments as it is, and leave what nobody sets', () => {
    expect(fillTemplates(ssh, '/workdir')).toEqual({
      path: '/usr/bin/ssh',
      args: ['-p22', '$port.example', 'cd /workdir;', 'make', '$host', '$unknown'],
    });
  });

  test('leave $WORKDIR where it is not known', () => {
    expect(fillTemplates(ssh).args[2]).toBe('cd $WORKDIR;');
  });

  test('take the attributes of a caller before the names of the prototype', () => {
    expect(fillTemplates({ ...ssh, path: '$toString', args: ['$constructor'] })).toEqual({
      path: '$toString',
      args: ['$constructor'],
    });
  });
});
