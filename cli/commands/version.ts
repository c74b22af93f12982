import { existsSync, readFileSync } from 'node:fs';

/** The version in package.json, which lies beside `cli/` in a checkout and beside `dist/` in a package. */
export function packageVersion(): string {
  const candidates = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url));
  const file = candidates.find((candidate) => existsSync(candidate));
  if (file === undefined) return 'unknown';
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** `longshore version` */
export function version(): number {
  process.stdout.write(`longshore ${packageVersion()} (node ${process.version})\n`);
  return 0;
}
