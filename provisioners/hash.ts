import { type BundleSource, type BundleTemplate, sourceTypes } from '../src/api/index.ts';
import { goJsonHash, goMembers, type JsonObject } from '../src/base/index.ts';
import { definitionOf } from '../src/sources/definitions/index.ts';

const maxDeploymentName = 45;
const maxBundleName = 52;

function sortedMap(map: Readonly<Record<string, string>> | undefined): JsonObject | undefined {
  const entries = Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** All members of a source in the order of their types, whichever its own type selects. */
function sourceOf(source: BundleSource): JsonObject {
  const members = sourceTypes.map((type) => [type, definitionOf({ type }).hashed(source)] as const);
  return { type: source.type, ...goMembers(members) };
}

/** Hash of a bundle template, at most 44 characters of base 36. The same on every machine and in every release.
 *  @see docs/spec/rukpak-v1alpha1.md#template-bundle */
export function templateHash(template: BundleTemplate): string {
  const { metadata, spec } = template;
  const finalizers = metadata?.finalizers;
  const value = {
    metadata: {
      ...goMembers([
        ['name', metadata?.name],
        ['namespace', metadata?.namespace],
      ]),
      creationTimestamp: null,
      ...goMembers([
        ['labels', sortedMap(metadata?.labels)],
        ['annotations', sortedMap(metadata?.annotations)],
        ['finalizers', finalizers?.length === 0 ? undefined : finalizers],
      ]),
    },
    spec: { provisionerClassName: spec.provisionerClassName, source: sourceOf(spec.source) },
  };
  return goJsonHash(value);
}

/** Name of the Bundle made from a template: `<deployment>-<hash>`, at most 52 characters. */
export function bundleName(deploymentName: string, hash: string): string {
  return `${deploymentName.slice(0, maxDeploymentName)}-${hash}`.slice(0, maxBundleName);
}
