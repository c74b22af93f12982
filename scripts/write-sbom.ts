/** Writes `sbom.cdx.json`, or the file that is named: what the image is made of, as CycloneDX, by the lock file, without what would differ each time. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

interface Component {
  readonly 'bom-ref': string;
  readonly properties?: readonly { readonly name: string }[];
}

interface Bill {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

function isForDevelopment({ properties = [] }: Component): boolean {
  return properties.some(({ name }) => name === 'cdx:npm:package:development');
}

// Asked to leave out what is for development alone, npm also leaves out what that shares with the program.
const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const text = execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const { serialNumber: _serial, metadata, components: all, dependencies, ...bill } = JSON.parse(text) as Bill;
const { timestamp: _timestamp, ...facts } = metadata;
const components = all.filter((component) => !isForDevelopment(component));
const kept = new Set([metadata.component, ...components].map((component) => component['bom-ref']));
const graph = dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
const whole = { ...bill, metadata: facts, components, dependencies: graph };
writeFileSync(process.argv[2] ?? 'sbom.cdx.json', `${JSON.stringify(whole, undefined, 2)}\n`);
