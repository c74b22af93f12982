/** What a release consists of, made from the checkout. */
import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from 'tar';
import { readManifests } from '../cli/install/manifests.ts';
import { type Overlay, overlays } from '../cli/install/overlays.ts';
import { formatYaml, sha256Digest } from '../src/base/index.ts';

/** The section of a version in CHANGELOG.md, without its heading, and the text in brackets after the version.
 *  @throws Error where the newest section is of another version */
export function notesOf(changelog: string, version: string): { readonly text: string; readonly state: string } {
  const [, found = '', state = '', text = ''] =
    /^## (\S+) \(([^)]*)\)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog) ?? [];
  if (found !== version) throw new Error(`CHANGELOG.md: expected the section ${version} first, found "${found}"`);
  return { text: text.trim(), state };
}

/** The signature as `cosign sign-blob` and `openssl dgst -sha256 -sign` make it with an ECDSA key: DER, in base64.
 *  @throws Error for a key of another kind */
export function signText(text: string, keyPem: string, passphrase: string | undefined): string {
  const key = createPrivateKey({ key: keyPem, ...(passphrase === undefined ? {} : { passphrase }) });
  if (key.asymmetricKeyType !== 'ec') throw new Error(`--key: expected an ECDSA key, found ${key.asymmetricKeyType}`);
  return sign('sha256', Buffer.from(text), key).toString('base64');
}

/** Writes the chart as an archive, with the CustomResourceDefinitions that it has a link to in the repository: those that its values can choose. */
export async function packChart(file: string): Promise<void> {
  const chart = { cwd: 'deploy/chart', prefix: 'longshore', file };
  const filter = (path: string): boolean => !`${path}/`.startsWith('definitions/cluster-version/');
  await create(
    { ...chart, gzip: true, portable: true, noMtime: true, follow: true, filter },
    readdirSync('deploy/chart'),
  );
}

/** Everything that an overlay installs, as one file for `kubectl apply --server-side -f`. */
export async function manifestsText(overlay: Overlay): Promise<string> {
  return (await readManifests(overlay)).map((object) => formatYaml(object)).join('---\n');
}

export interface ReleaseOptions {
  readonly version: string;
  readonly folder: string;
  readonly notes: string;
  /** PEM of a private key; without it nothing is signed. */
  readonly keyPem: string | undefined;
  readonly passphrase: string | undefined;
}

/** Writes both packages, the chart, the manifests, the bill of materials, the notes, checksums of all these, and the signature of the checksums. */
export async function writeRelease({ version, folder, notes, keyPem, passphrase }: ReleaseOptions): Promise<void> {
  const pack = ['pack', '--silent', '--pack-destination', folder];
  for (const what of [[], ['./dist-apiserver']]) {
    execFileSync('npm', [...pack, ...what], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  await packChart(join(folder, `longshore-chart-${version}.tgz`));
  for (const overlay of overlays) {
    writeFileSync(join(folder, `longshore-${version}-${overlay}.yaml`), await manifestsText(overlay));
  }
  execFileSync(process.execPath, ['scripts/write-sbom.ts', join(folder, `longshore-${version}.cdx.json`)]);
  writeFileSync(join(folder, 'NOTES.md'), `${notes}\n`);
  const files = readdirSync(folder).toSorted();
  const sums = files.map(
    (name) => `${sha256Digest(readFileSync(join(folder, name))).slice('sha256:'.length)}  ${name}\n`,
  );
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  if (keyPem === undefined) return;
  writeFileSync(join(folder, 'SHA256SUMS.sig'), signText(sums.join(''), keyPem, passphrase));
  const publicKey = createPublicKey({ key: keyPem, ...(passphrase === undefined ? {} : { passphrase }) });
  writeFileSync(join(folder, 'longshore.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
}
