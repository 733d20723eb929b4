import { describe, expect, test } from '@jest/globals';
import { entrypointOf, type ContainerCommand, type ImageConfiguration } from './entrypoint.ts';

const image = (entrypoint: string[], cmd: string[], workingDir?: string): ImageConfiguration => ({
  entrypoint,
  cmd,
  ...(workingDir === undefined ? {} : { workingDir }),
});

const both = image(['/plugin'], ['--help']);

describe('the program of a container', () => {
  const rows: Record<string, [image: ImageConfiguration, container: ContainerCommand, argv: string[]]> = {
    'is the entrypoint with its cmd': [both, {}, ['/plugin', '--help']],
    'is the entrypoint alone': [image(['/plugin'], []), {}, ['/plugin']],
    'is the cmd alone': [image([], ['sh', '-c', 'ls']), {}, ['sh', '-c', 'ls']],
    'is command without the entrypoint and the cmd': [both, { command: ['/tool'] }, ['/tool']],
    'is the entrypoint with args instead of the cmd': [both, { args: ['run'] }, ['/plugin', 'run']],
    'is command with args': [both, { command: ['/tool'], args: ['run'] }, ['/tool', 'run']],
    'is the entrypoint if command is empty': [both, { command: [], args: [] }, ['/plugin', '--help']],
    'is args if the image has no entrypoint': [image([], ['a']), { args: ['/b'] }, ['/b']],
    'stays a name without a slash, which is found in PATH': [
      image(['plugin'], ['x'], '/app'),
      {},
      ['plugin', 'x'],
    ],
    'is relative to the working directory': [image(['./plugin'], [], '/app'), {}, ['/app/./plugin']],
    'is relative to a working directory with a slash at the end': [
      image(['bin/plugin'], [], '/app/'),
      {},
      ['/app/bin/plugin'],
    ],
    'is relative to the root if the image has no working directory': [
      image(['bin/plugin'], []),
      {},
      ['/bin/plugin'],
    ],
    'stays relative if command names it': [image([], [], '/app'), { command: ['./tool'] }, ['./tool']],
    'keeps empty arguments': [image(['/plugin'], ['']), {}, ['/plugin', '']],
  };
  test.each(Object.entries(rows))('%s', (_name, [configuration, container, argv]) => {
    expect(entrypointOf(configuration, container)).toEqual({ answer: 'runs', argv });
  });
});

test.each([
  ['no program', image([], [])],
  ['an empty name', image([''], ['--help'])],
])('an image with %s is refused', (_name, configuration) => {
  expect(entrypointOf(configuration)).toEqual({
    answer: 'refused',
    reason: 'it has neither an entrypoint nor a command. Write cmd.',
  });
});
