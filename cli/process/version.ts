import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OptionValues, outputOption } from '../command/index.ts';
import { type Revision, readRevision } from './revision.ts';

type Values = OptionValues<typeof outputOption>;

const unknown: Revision = { revision: 'unknown', date: 'unknown', state: 'unknown' };

/** The version in package.json, which lies beside `cli/` in a checkout and beside `dist/` in a package. */
export function packageVersion(): string {
  const candidates = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url));
  const file = candidates.find((candidate) => existsSync(candidate));
  if (file === undefined) return 'unknown';
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** A build wrote down what it was made from; a checkout is asked. */
function ownRevision(): Revision {
  const written = new URL('../../build.json', import.meta.url);
  if (existsSync(written)) return JSON.parse(readFileSync(written, 'utf8')) as Revision;
  const checkout = new URL('../..', import.meta.url);
  if (!existsSync(new URL('.git', checkout))) return unknown;
  return readRevision((args) =>
    execFileSync('git', [...args], {
      cwd: fileURLToPath(checkout),
      encoding: 'utf8',
      timeout: 5000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
}

/** `longshore version`; under its other name the line that users of the original know, alone. */
export async function version(values: Values): Promise<number> {
  const { revision, date, state } = ownRevision();
  const line = `revision: "${revision}", date: "${date}", state: "${state}"\n`;
  const facts = { version: packageVersion(), node: process.version, revision, date, state };
  const isOriginal = basename(process.argv[1] ?? '').replace(/\.[a-z]+$/, '') === 'rukpakctl';
  const text = isOriginal ? line : `longshore ${facts.version} (node ${facts.node})\n${line}`;
  process.stdout.write(values.output === 'json' ? `${JSON.stringify(facts)}\n` : text);
  return await Promise.resolve(0);
}
