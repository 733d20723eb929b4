#!/usr/bin/env node
import { Option } from 'commander';
import type { GatewayFlags } from '#config';
import { commandLine, parseCommandLine } from './command-line.ts';

/*
 * Picks the entry point and imports only that one, so that no entry point loads the dependencies of another.
 */
const EXAMPLES = `
Examples:
  millrace validate pipeline.hcl      validate a pipeline offline
  millrace trigger app/unit --watch   start a build and follow it (first: millrace login <url>)
  millrace operator                   watch Teams and Pipelines, schedule, start Pods
  millrace gateway --role public      webhooks, API and /health for people and forges
  millrace gateway --role internal    the TLS listener that agents report to
  millrace agent                      run the plan of this Pod (agents only)

operator, gateway and agent read their settings from the environment (MILLRACE_…); the chart sets
them. You can give a secret setting NAME as a file, NAME_FILE. At the start, each reports everything
that is missing or wrong at once.`;

const OPERATOR_HELP = `
It reads its settings from the environment (MILLRACE_…). At the start, it reports everything that is
missing at once.

Examples:
  millrace operator`;

const GATEWAY_HELP = `
It reads its other settings from the environment (MILLRACE_…). At the start, it reports everything
that is missing at once.

Examples:
  millrace gateway --role public --external-url https://ci.example.org --session-lifetime 7d
  millrace gateway --role internal`;

const AGENT_HELP = `
It needs settings that the operator gives to a Pod. If you start it by hand, it only reports what is
missing.

Examples:
  millrace agent`;

/** Heading of these commands in the help. */
const PARTS = 'Parts of an installation:';

const program = commandLine(EXAMPLES);

program
  .command('operator')
  .addHelpText('after', OPERATOR_HELP)
  .helpGroup(PARTS)
  .description('reconcile Teams and Pipelines; two replicas, one leads')
  .action(async () => {
    const { runOperator } = await import('./operator/main.ts');
    await runOperator();
  });

program
  .command('gateway')
  .addHelpText('after', GATEWAY_HELP)
  .helpGroup(PARTS)
  .description('serve people and forges (public) or agents (internal)')
  .addOption(
    new Option('--role <role>', 'which gateway to run').choices(['public', 'internal']).makeOptionMandatory(),
  )
  .option(
    '--session-lifetime <duration>',
    'how long people stay signed in: 24h, 7d, 1M, …; 0: without an end',
  )
  .option(
    '--session-idle-timeout <duration>',
    'how long a session may be idle before it ends; 0: without an end',
  )
  .option('--external-url <url>', 'address at which people and forges reach the public gateway')
  .action(async ({ role, ...flags }: { role: 'public' | 'internal' } & GatewayFlags) => {
    const { runGateway } = await import('./gateway/main.ts');
    await runGateway(role, flags);
  });

program
  .command('agent')
  .addHelpText('after', AGENT_HELP)
  .helpGroup(PARTS)
  .description('run the plan of this Pod; the image has its own small bundle for this')
  .action(async () => {
    await import('./agent/main.ts');
  });

await parseCommandLine(program);
