#!/usr/bin/env node
// In a checkout the TypeScript runs as it stands; an installed package carries dist/, because Node.js strips no types below node_modules.
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
// Not by name: an older Node.js has no such export, and would not reach the message below.
import * as nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

// As `engines` of package.json: what the packages support that are loaded.
const [major, minor] = process.versions.node.split('.').map(Number);
const isSupported = (major === 24 && minor >= 15) || major >= 26;
if (!isSupported) {
  process.stderr.write(
    `longshore: Node.js 24.15 or a newer 24, or 26 or newer, is needed, this is v${process.versions.node}. In a checkout, "npm ci" brings its own: run "npx longshore".\n`,
  );
  process.exit(1);
}
/** The folder of compiled modules, below the temporary folder that all users share. What is in it runs: undefined where another user owns it, or may write
 *  there. Node.js itself would take it as it is. */
function compileCacheFolder() {
  const user = process.geteuid?.();
  const folder = join(tmpdir(), `longshore-compile-cache${user === undefined ? '' : `-${user}`}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It exists from an earlier start, or the next line fails.
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  // Windows has a temporary folder for each user, and no modes.
  const isOwn = user === undefined || (found?.uid === user && (found.mode & 0o022) === 0);
  return found?.isDirectory() && isOwn ? folder : undefined;
}

// From the second start on nothing is stripped or compiled again: that halves the time to the first answer. With NODE_COMPILE_CACHE it is enabled already.
if (nodeModule.getCompileCacheDir() === undefined && process.env.NODE_DISABLE_COMPILE_CACHE === undefined) {
  const folder = compileCacheFolder();
  if (folder !== undefined) nodeModule.enableCompileCache(folder);
}
// Worker threads read the variable alone.
const cacheFolder = nodeModule.getCompileCacheDir();
if (cacheFolder !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(cacheFolder);
// Names of hosts are looked up in half of the threads of this pool, and servers of names may be slow.
process.env.UV_THREADPOOL_SIZE ??= '16';
const compiled = new URL('../dist/cli/main.js', import.meta.url);
const source = new URL('./main.ts', import.meta.url);
await import((existsSync(source) ? source : compiled).href);
