import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { greet } from './greeting.js';

const [folder = 'public'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'index.html'), `<!doctype html>\n<title>Sample</title>\n<h1>${greet('')}</h1>\n`);
process.stdout.write(`built ${join(folder, 'index.html')}\n`);
