import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS_PAGE, commandsPage } from './commands.ts';
import { ENVIRONMENT_PAGE, withVariables } from './environment.ts';
import { ERRORS_PAGE, errorsPage } from './errors.ts';
import { definitions, KINDS_PAGE, kindsPage } from './kinds.ts';
import { pipelineJsonSchema, SCHEMA_FILE } from './language-schema.ts';
import { LANGUAGE_PAGE, withLanguage } from './language.ts';
import { LIMITS_PAGE, limitsPage } from './limits-page.ts';
import { ROOT } from './markdown.ts';
import { METRICS_PAGE, metricsPage } from './metrics.ts';
import { API_PAGE, withRoutes } from './routes.ts';
import { WAITING_PAGE, waitingPage } from './waiting.ts';

/*
 * Writes the pages that are generated from the program:
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
const environment = join(ROOT, ENVIRONMENT_PAGE);
writeFileSync(environment, await withVariables(readFileSync(environment, 'utf8')));
const language = join(ROOT, LANGUAGE_PAGE);
writeFileSync(language, await withLanguage(readFileSync(language, 'utf8')));
writeFileSync(join(ROOT, SCHEMA_FILE), await pipelineJsonSchema());
