import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { renderDiagnostic } from '#domain/language/diagnostic.ts';
import { refusedVolumes } from '#domain/planning/refused-volumes.ts';
import { buildEngine } from './build.ts';
import { compileText } from './compile-text.ts';
import { startEngine, type HclEngine } from './engine.ts';

let engine: HclEngine;
beforeAll(async () => {
  engine = startEngine(new WebAssembly.Module(readFileSync(await buildEngine())));
}, 600_000);

const volumes = [
  { name: 'data', mountPath: '/srv/data', persistentVolumeClaim: { claimName: 'data' } },
  { name: 'shared', mountPath: '/srv/shared', persistentVolumeClaim: { claimName: 'a', readOnly: true } },
];

/** The diagnostics of an operator for a Team with these volumes. */
function refusalsOf(text: string): string[] {
  const { diagnostics, volumes: uses = [] } = compileText(engine, text, {}, { sources: {} });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return refusedVolumes(uses, { name: 'blue', volumes }).map(renderDiagnostic);
}

const resource = (type: string, label: string, path: string): string =>
  `resource "${type}" "${label}" {\n  params {\n    path = "${path}"\n  }\n}\n`;

test('a path on a volume of the Team is accepted', () => {
  const text = `${resource('fs', 'in', '/srv/data/in')}job "a" {\n  put "fs" "in" {\n    from = "x"\n  }\n}\n`;
  expect(refusalsOf(text)).toEqual([]);
});

test('each path that is on no volume is refused at its position, whatever the name of the type', () => {
  const ownType = 'resource_type "files" {\n  source = "svc://fs"\n}\n';
  const text = `${ownType}${resource('files', 'a', '/srv/other')}${resource('fs', 'b', '/srv/data/in')}${resource('fs', 'c', '/x')}`;
  const volumesText = 'its spec.volumes has data (/srv/data), shared (/srv/shared)';
  expect(refusalsOf(text)).toEqual([
    `6:12: in resource "files" "a": files.a: /srv/other is on no volume of Team blue; ${volumesText}`,
    `16:12: in resource "fs" "c": fs.c: /x is on no volume of Team blue; ${volumesText}`,
  ]);
});

test('the path of each instance of a group is checked', () => {
  const text =
    'resource "fs" "in" {\n  for_each = toset(["/srv/data/a", "/tmp/b"])\n  params {\n    path = each.value\n  }\n}\n';
  expect(refusalsOf(text)).toHaveLength(1);
});

test('a put to a read-only volume is refused with the name of the job, in hooks too', () => {
  const hook = 'ensure {\n    put "fs" "out" {\n      from = "x"\n    }\n  }';
  const task = 'task "t" {\n    run "shell" {\n      cmd = "true"\n    }\n  }';
  const text = `${resource('fs', 'out', '/srv/shared/out')}job "a" {\n  ${task}\n  ${hook}\n}\n`;
  expect(refusalsOf(text)).toEqual([
    '3:12: in resource "fs" "out": fs.out: the volume shared of Team blue is read-only, so nothing can put to it (job a)',
  ]);
});
