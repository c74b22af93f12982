/** Writes `sbom.cdx.json`: what the image is made of, as CycloneDX, by the lock file, without what would differ each time. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const args = ['sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const text = execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const { serialNumber: _serial, metadata, ...bill } = JSON.parse(text) as Record<string, object>;
const { timestamp: _timestamp, ...facts } = metadata as Record<string, unknown>;
writeFileSync('sbom.cdx.json', `${JSON.stringify({ ...bill, metadata: facts }, undefined, 2)}\n`);
