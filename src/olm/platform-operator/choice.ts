import {
  type PlatformChoice as Choice,
  type PlatformOperatorStatus,
  platformChoiceAnnotation,
} from '../../api/index.ts';
import { isJsonObject, type JsonObject, objectAt, parseJson, sha256Digest, TerminalError } from '../../base/index.ts';
import { parseVersion } from '../../constraints/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { InstalledBundle } from '../../resolver/index.ts';

export type { Choice };

/** A choice, and the BundleDeployment that installs it. */
export interface PlacedChoice extends Choice {
  readonly bundleDeployment: string;
}

/** What a PlatformOperator is to have: its own package, and what that needs. */
export interface Resolved {
  readonly main: PlacedChoice;
  readonly dependencies: readonly PlacedChoice[];
}

/** Of a BundleDeployment. */
const maxNameCharacters = 45;
const hashCharacters = 8;
const maxAnnotationCharacters = 65_536;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function textsOf(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (isText(value[key]) ? [[key, value[key]]] : [])));
}

/** The choice in an annotation, which may contain anything: only known fields are read. */
export function readChoice(value: JsonObject): Choice | undefined {
  const catalog = textsOf(objectAt(value, 'catalog') ?? {}, ['name', 'digest']);
  const needed = textsOf(value, ['package', 'bundle', 'version', 'image']);
  if (Object.keys(needed).length < 4 || catalog['name'] === undefined) return undefined;
  const choice = { reason: '', ...needed, ...textsOf(value, ['release', 'channel', 'reason']), catalog };
  return choice as unknown as Choice;
}

/** Whether a BundleDeployment names a service account, which none has that is created for a PlatformOperator: users who may use that account write what they
 *  like on it. */
export function hasAccount(deployment: KubeObject): boolean {
  const config = objectAt(deployment as unknown as JsonObject, 'spec', 'config');
  return (config?.['serviceAccount'] ?? null) !== null;
}

/** The choice that a BundleDeployment was created for; undefined if it cannot be read. */
export function choiceOf(deployment: KubeObject): PlacedChoice | undefined {
  const { metadata } = deployment;
  const text = metadata.annotations?.[platformChoiceAnnotation];
  if (text === undefined || text.length > maxAnnotationCharacters || hasAccount(deployment)) return undefined;
  try {
    const value = parseJson(platformChoiceAnnotation, text);
    const choice = isJsonObject(value) ? readChoice(value) : undefined;
    return choice && { ...choice, bundleDeployment: metadata.name ?? '' };
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

/** The value of the annotation of a BundleDeployment. */
export function formatChoice(choice: PlacedChoice): string {
  const { bundleDeployment: _name, ...rest } = choice;
  return JSON.stringify(rest);
}

/** What the status of a PlatformOperator records; undefined before anything was chosen. */
export function resolvedOf(packageName: string, status: PlatformOperatorStatus | undefined): Resolved | undefined {
  const { resolved, activeBundleDeployment } = status ?? {};
  if (resolved === undefined || activeBundleDeployment === undefined) return undefined;
  const { dependencies = [], ...main } = resolved;
  return { main: { ...main, package: packageName, bundleDeployment: activeBundleDeployment.name }, dependencies };
}

/** `status.resolved` */
export function formatResolved({ main, dependencies }: Resolved): JsonObject {
  const { package: _package, bundleDeployment: _name, ...rest } = main;
  return { ...rest, ...(dependencies.length > 0 && { dependencies }) } as unknown as JsonObject;
}

/** What is installed by a choice, as resolving asks for it.
 *  @throws TerminalError InvalidVersion */
export function installedBy({ bundle, version, release }: Choice): InstalledBundle {
  return { name: bundle, version: parseVersion(version), ...(release !== undefined && { release }) };
}

/** What the BundleDeployment of a package is called that is there for others: the package, shortened where that is too long. */
export function deploymentNameFor(packageName: string): string {
  if (packageName.length <= maxNameCharacters) return packageName;
  const hash = sha256Digest(packageName).slice('sha256:'.length).slice(0, hashCharacters);
  return `${packageName.slice(0, maxNameCharacters - hashCharacters - 1).replace(/-+$/, '')}-${hash}`;
}
