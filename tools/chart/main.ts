import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chart, chartFiles } from './files.ts';

rmSync(join(chart, 'files'), { recursive: true, force: true });
for (const [path, text] of Object.entries(chartFiles())) {
  mkdirSync(dirname(join(chart, path)), { recursive: true });
  writeFileSync(join(chart, path), text);
  console.log(`wrote charts/millrace/${path}`);
}
