import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorsPage, ERRORS_PAGE } from './errors.ts';
import { definitions, kindsPage, KINDS_PAGE } from './kinds.ts';
import { ROOT } from './markdown.ts';
import { API_PAGE, withRoutes } from './routes.ts';
import { waitingPage, WAITING_PAGE } from './waiting.ts';

/*
 * Writes the pages that are made from the program:
 *
 *   node config/docs/main.ts
 */
writeFileSync(join(ROOT, ERRORS_PAGE), await errorsPage());
writeFileSync(join(ROOT, KINDS_PAGE), await kindsPage(definitions()));
writeFileSync(join(ROOT, WAITING_PAGE), await waitingPage());
const api = join(ROOT, API_PAGE);
writeFileSync(api, await withRoutes(readFileSync(api, 'utf8')));
