import { expect, test } from '@jest/globals';
import { pickDebian } from './debian-layer.ts';

const listed = `Debian|bookworm|deb http://mirror.example/debian/ bookworm main
Debian|bookworm-security|deb http://mirror.example/debian-security/ bookworm-security main
Debian|bookworm|deb http://mirror.example/debian/ bookworm main
Debian|trixie|deb http://mirror.example/debian/ trixie main
Vendor|bookworm|deb http://vendor.example/apt bookworm main
Node Source|nodistro|deb http://node.example/ nodistro main
`;

test.each<[string, string, string, readonly string[]]>([
  [
    'the sources of a suite are Debian and its updates, each once, without vendors',
    listed,
    'bookworm',
    [
      'deb http://mirror.example/debian/ bookworm main',
      'deb http://mirror.example/debian-security/ bookworm-security main',
    ],
  ],
  ['there are no sources for a suite that the machine lacks', listed, 'forky', []],
  ['there are no sources if apt has none', '', 'bookworm', []],
])('%s', (_, text, suite, expected) => {
  expect(pickDebian(text, suite)).toEqual(expected);
});
