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
    'takes Debian of the suite and its updates, each once, and no vendor',
    listed,
    'bookworm',
    [
      'deb http://mirror.example/debian/ bookworm main',
      'deb http://mirror.example/debian-security/ bookworm-security main',
    ],
  ],
  ['finds nothing for a suite that the machine does not have', listed, 'forky', []],
  ['finds nothing where apt knows nothing', '', 'bookworm', []],
])('%s', (_, text, suite, expected) => {
  expect(pickDebian(text, suite)).toEqual(expected);
});
