import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { checkout } from '#tools/checkout.ts';
import { readContents } from './contents.ts';
import { dockerfile } from './dockerfile.ts';

const contents = readContents();
const images = Object.entries(contents.images);

const Lock = Type.Object({
  packages: Type.Object({ 'node_modules/node': Type.Object({ version: Type.String() }) }),
});

describe('the list of contents', () => {
  test('equals the Dockerfile (node tools/images/main.ts --dockerfile > Dockerfile)', () => {
    expect(readFileSync(join(checkout, 'Dockerfile'), 'utf8')).toBe(dockerfile(contents));
  });

  test('has the Node.js version of package-lock.json', () => {
    const lock = Value.Parse(Lock, JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')));
    expect(contents.node.version).toBe(lock.packages['node_modules/node'].version);
  });

  test.each(images)('of %s has no package both included and excluded', (_, image) => {
    expect(image.packages.filter((name) => image.skippedDependencies.includes(name))).toEqual([]);
  });

  test.each(images)('of %s has a user other than root', (_, image) => {
    expect(image.user.id).toBeGreaterThan(0);
  });

  test.each(images)('of %s writes through no link of a merged /usr', (_, image) => {
    const targets = [...Object.keys(image.links), ...Object.keys(image.files), ...image.directories];
    expect(targets.filter((path) => /^\/(?:bin|sbin|lib\d*|var\/run)(?:\/|$)/.test(path))).toEqual([]);
  });

  test.each(images)('of %s contains the program that it starts, and may execute it', (name, image) => {
    const [command] = image.entrypoint;
    if (command === undefined) return;
    const file = join(checkout, 'tools/images', name, 'root', command);
    expect(existsSync(file)).toBe(true);
    expect(statSync(file).mode & 0o111).toBe(0o111);
  });
});

describe('the Dockerfile', () => {
  const text = readFileSync(join(checkout, 'Dockerfile'), 'utf8');
  const stages = new Map(
    text
      .split(/^(?=FROM )/m)
      .slice(1)
      .map((stage) => [/ AS (?<name>\S+)/.exec(stage)?.groups?.['name'] ?? '', stage]),
  );

  test.each(images)(
    'has a stage %s with the packages, user, folders and entrypoint of the list',
    (name, image) => {
      const stage = stages.get(name) ?? '';
      const installed = /--no-install-recommends (?<names>.*) \\/.exec(stage)?.groups?.['names'];
      expect(installed?.split(' ')).toEqual(image.packages);
      expect(stage).toContain(`\nUSER ${image.user.id}:${image.user.id}\n`);
      expect(stage).toContain(`\nWORKDIR ${image.workdir}\n`);
      for (const folder of image.directories)
        expect(stage).toMatch(new RegExp(`install -d .* ?${folder}( |$)`, 'm'));
      for (const target of Object.keys(image.files))
        expect(stage).toMatch(new RegExp(`COPY .* ${target}/?$`, 'm'));
      if (image.entrypoint.length > 0)
        expect(stage).toContain(`ENTRYPOINT ["${image.entrypoint.join('", "')}"]`);
    },
  );
});
