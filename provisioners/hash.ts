import type { BundleSource, BundleTemplate } from '../src/api/index.ts';
import { goJsonHash, type JsonObject } from '../src/base/index.ts';

const maxDeploymentName = 45;
const maxBundleName = 52;

type Members = readonly (readonly [string, unknown])[];

/** An object with its members in this order, those without a value left out. */
function ordered(members: Members): JsonObject {
  const present = members.filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return Object.fromEntries(present) as JsonObject;
}

function sortedMap(map: Readonly<Record<string, string>> | undefined): JsonObject | undefined {
  const entries = Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

interface Auth {
  readonly secret?: { readonly name?: string };
  readonly insecureSkipVerify?: boolean;
}

function authOf(auth: Auth | undefined): JsonObject {
  const secret = ordered([['name', auth?.secret?.name]]);
  return { secret, ...ordered([['insecureSkipVerify', auth?.insecureSkipVerify]]) };
}

function gitOf({ git }: BundleSource): JsonObject | undefined {
  if (git === undefined) return undefined;
  const { branch, commit, tag } = git.ref;
  return {
    repository: git.repository,
    ...ordered([['directory', git.directory]]),
    ref: ordered([
      ['branch', branch],
      ['commit', commit],
      ['tag', tag],
    ]),
    auth: authOf(git.auth),
  };
}

function imageOf({ image }: BundleSource): JsonObject | undefined {
  return image === undefined ? undefined : { ref: image.ref, ...ordered([['pullSecret', image.pullSecret]]) };
}

function sourceOf(source: BundleSource): JsonObject {
  const configMaps = source.configMaps?.map(({ configMap, path }) => ({
    configMap: ordered([['name', configMap.name]]),
    ...ordered([['path', path]]),
  }));
  const { http } = source;
  return {
    type: source.type,
    ...ordered([
      ['image', imageOf(source)],
      ['git', gitOf(source)],
      ['configMaps', configMaps?.length === 0 ? undefined : configMaps],
      ['upload', source.upload === undefined ? undefined : {}],
      ['http', http === undefined ? undefined : { url: http.url, auth: authOf(http.auth) }],
    ]),
  };
}

/** Hash of a bundle template, at most 44 characters of base 36. The same on every machine and in every release.
 *  @see docs/spec/rukpak-v1alpha1.md#template-bundle */
export function templateHash(template: BundleTemplate): string {
  const { metadata, spec } = template;
  const finalizers = metadata?.finalizers;
  const value = {
    metadata: {
      ...ordered([
        ['name', metadata?.name],
        ['namespace', metadata?.namespace],
      ]),
      creationTimestamp: null,
      ...ordered([
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
