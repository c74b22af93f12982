#!/usr/bin/env node
// In a checkout the TypeScript runs as it stands; an installed package carries dist/, because Node.js strips no types below node_modules.
import { existsSync } from 'node:fs';
// Not by name: an older Node.js has no such export, and would not reach the message below.
import * as nodeModule from 'node:module';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(
    `longshore: Node.js 24 or newer is needed, this is ${process.version}. In a checkout, "npm ci" brings its own: run "npx longshore".\n`,
  );
  process.exit(1);
}
// From the second start on nothing is stripped or compiled again: that halves the time to the first answer.
nodeModule.enableCompileCache();
const compiled = new URL('../dist/cli/main.js', import.meta.url);
const source = new URL('./main.ts', import.meta.url);
await import((existsSync(source) ? source : compiled).href);
