/** `npm run release`: builds, packs and signs a release into `--out DIR`, and prints how to publish it; publishes nothing itself. `--key FILE` names an ECDSA
 *  private key in PEM form, its passphrase is in RELEASE_KEY_PASSPHRASE. `--dry-run` only warns where a release
 *  would be refused, and without `--out` works in a temporary folder. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { notesOf, writeRelease } from './release-files.ts';

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, key: { type: 'string' }, out: { type: 'string' } },
});
const isDryRun = values['dry-run'];
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const notes = notesOf(readFileSync('CHANGELOG.md', 'utf8'), version);
const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
const problems = [
  ...(notes.state === 'unreleased' ? [`CHANGELOG.md: ${version} has no date yet`] : []),
  ...(git('status', '--porcelain') === '' ? [] : ['there are changes that are not committed']),
  ...(git('tag', '--list', `v${version}`) === '' ? [] : [`the tag v${version} exists: choose the next version`]),
];
for (const problem of problems) console.error(`${isDryRun ? 'would be refused' : 'refused'}: ${problem}`);
if (problems.length > 0 && !isDryRun) process.exit(1);

const isTemporary = isDryRun && values.out === undefined;
const folder = isTemporary ? mkdtempSync(join(tmpdir(), 'longshore-release-')) : (values.out ?? `release/v${version}`);
mkdirSync(folder, { recursive: true });
if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
try {
  execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' });
  const keyPem = values.key === undefined ? undefined : readFileSync(values.key, 'utf8');
  const passphrase = process.env['RELEASE_KEY_PASSPHRASE'];
  await writeRelease({ version, folder, notes: notes.text, keyPem, passphrase });
  for (const name of readdirSync(folder).toSorted()) console.log(`${name}  ${statSync(join(folder, name)).size} bytes`);
  if (!isDryRun) {
    console.log(`
In this order:
  docker build -t <registry>/longshore:${version} --build-arg REVISION="$(git log -1 --format='%H %ct')" .
  git tag -a v${version} -F ${folder}/NOTES.md
  docker push <registry>/longshore:${version}
  npm publish ${folder}/longshore-${version}.tgz
  npm publish --access public ${folder}/longshore-apiserver-${version}.tgz`);
  }
} finally {
  if (isTemporary) rmSync(folder, { recursive: true, force: true });
}
