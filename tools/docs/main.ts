import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsPage, COMMANDS_PAGE } from './commands.ts';
import { errorsPage, ERRORS_PAGE } from './errors.ts';
import { definitions, kindsPage, KINDS_PAGE } from './kinds.ts';
import { LANGUAGE_PAGE, withLanguage } from './language.ts';
import { pipelineJsonSchema, SCHEMA_FILE } from './language-schema.ts';
import { LIMITS_PAGE, limitsPage } from './limits.ts';
import { ROOT } from './markdown.ts';
import { metricsPage, METRICS_PAGE } from './metrics.ts';
import { API_PAGE, withRoutes } from './routes.ts';
import { waitingPage, WAITING_PAGE } from './waiting.ts';

/*
 * Writes the pages that are made from the program:
 *
 *   node tools/docs/main.ts
 */
writeFileSync(join(ROOT, COMMANDS_PAGE), await commandsPage());
writeFileSync(join(ROOT, ERRORS_PAGE), await errorsPage());
writeFileSync(join(ROOT, KINDS_PAGE), await kindsPage(definitions()));
writeFileSync(join(ROOT, LIMITS_PAGE), await limitsPage());
writeFileSync(join(ROOT, METRICS_PAGE), await metricsPage());
writeFileSync(join(ROOT, WAITING_PAGE), await waitingPage());
const api = join(ROOT, API_PAGE);
writeFileSync(api, await withRoutes(readFileSync(api, 'utf8')));
const language = join(ROOT, LANGUAGE_PAGE);
writeFileSync(language, await withLanguage(readFileSync(language, 'utf8')));
writeFileSync(join(ROOT, SCHEMA_FILE), await pipelineJsonSchema());
