#!/usr/bin/env node
import { commandLine, parseCommandLine } from './command-line.ts';

/* The command line alone, without the parts of an installation: for the executables and the npm package. */
const EXAMPLES = `
Examples:
  millrace validate pipeline.hcl      validate a pipeline offline
  millrace trigger app/unit --watch   start a build and follow it (first: millrace login <url>)`;

await parseCommandLine(commandLine(EXAMPLES));
