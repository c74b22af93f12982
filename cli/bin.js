#!/usr/bin/env node
// In a checkout the TypeScript runs as it stands; an installed package carries dist/, because Node.js strips no types below node_modules.
import { existsSync } from 'node:fs';
// Not by name: an older Node.js has no such export, and would not reach the message below.
import * as nodeModule from 'node:module';
import { dirname } from 'node:path';

// As `engines` of package.json: what the packages support that are loaded.
const [major, minor] = process.versions.node.split('.').map(Number);
const isSupported = (major === 24 && minor >= 15) || major >= 26;
if (!isSupported) {
  process.stderr.write(
    `longshore: Node.js 24.15 or a newer 24, or 26 or newer, is needed, this is v${process.versions.node}. In a checkout, "npm ci" brings its own: run "npx longshore".\n`,
  );
  process.exit(1);
}
// From the second start on nothing is stripped or compiled again: that halves the time to the first answer.
nodeModule.enableCompileCache();
// Worker threads read the variable alone.
const cacheFolder = nodeModule.getCompileCacheDir();
if (cacheFolder !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(cacheFolder);
const compiled = new URL('../dist/cli/main.js', import.meta.url);
const source = new URL('./main.ts', import.meta.url);
await import((existsSync(source) ? source : compiled).href);
