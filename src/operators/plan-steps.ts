import { clusterServiceVersionResource, type InstallPlanStep, olmAnnotations } from '../api/index.ts';
import { goJson, type JsonObject, type JsonValue, objectAt, TerminalError, textAt } from '../base/index.ts';
import type { BundleContent } from './bundle-content.ts';
import { isDeploymentStrategy, permissionObjects } from './operator-permissions.ts';
import { formatReference } from './step-reference.ts';

/** Manifests of a bundle that together have more are not written into the plan. */
const maxInlineBytes = 100 * 2 ** 10;
/** Of all bundles of a plan: an object has at most about 1.5 MiB. */
const maxPlanBytes = 800 * 2 ** 10;

/** `maxInlineBytes` for each bundle of a plan that has so many. */
export function inlineBytesFor(bundleCount: number): number {
  return Math.min(maxInlineBytes, Math.floor(maxPlanBytes / Math.max(1, bundleCount)));
}

/** What was resolved for a bundle. */
export interface PlanStepsOptions {
  /** Where the operator is installed. */
  readonly namespace: string;
  readonly catalog: { readonly name: string; readonly namespace: string };
  /** ClusterServiceVersion that this one replaces; whatever the bundle has there. */
  readonly replaces?: string;
  /** Undefined: as the bundle has them. */
  readonly properties?: readonly { readonly type: string; readonly value: JsonValue }[];
  /** Manifests that together have more bytes become references to the content. Only content that is identified can be referred to. */
  readonly maxInlineBytes?: number;
}

/** Rank of a step: ClusterServiceVersions own the other objects, whose kinds the CustomResourceDefinitions may define. */
function rankOf({ resource: { kind } }: InstallPlanStep): number {
  if (kind === clusterServiceVersionResource.kind) return 0;
  return kind === 'CustomResourceDefinition' ? 1 : 2;
}

/** Steps of several bundles in the order in which they are applied; those of one rank keep theirs.
 *  @see docs/spec/olm-v0.md#install-plans */
export function orderSteps(steps: readonly InstallPlanStep[]): readonly InstallPlanStep[] {
  return steps.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function resolvedCsv(csv: JsonObject, { namespace, replaces, properties }: PlanStepsOptions): JsonObject {
  const metadata = objectAt(csv, 'metadata') ?? {};
  const list = properties?.map(({ type, value }) => ({ type, value }));
  const annotations = {
    ...objectAt(metadata, 'annotations'),
    ...(list === undefined ? {} : { [olmAnnotations.properties]: goJson({ properties: list }) }),
  };
  const { replaces: _ofBundle, ...spec } = objectAt(csv, 'spec') ?? {};
  return {
    ...csv,
    apiVersion: clusterServiceVersionResource.apiVersion,
    metadata: { ...metadata, namespace, annotations },
    spec: { ...spec, ...(replaces === undefined || replaces === '' ? {} : { replaces }) },
  };
}

/** A step that applies `object`; the kind `BundleSecret` distinguishes Secrets of bundles from those that a plan copies from the namespace of OLM. */
export function stepOf(
  object: JsonObject,
  { resolving, catalog }: { readonly resolving: string; readonly catalog: PlanStepsOptions['catalog'] },
): InstallPlanStep {
  const [group, version] = splitApiVersion(textAt(object, 'apiVersion'));
  const metadata = objectAt(object, 'metadata');
  const kind = textAt(object, 'kind');
  return {
    resolving,
    resource: {
      sourceName: catalog.name,
      sourceNamespace: catalog.namespace,
      group,
      version,
      kind: kind === 'Secret' && group === '' ? 'BundleSecret' : kind,
      name: textAt(metadata, 'name') || textAt(metadata, 'generateName'),
      manifest: JSON.stringify(object),
    },
    status: 'Unknown',
  };
}

function splitApiVersion(apiVersion: string): readonly [group: string, version: string] {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? ['', first] : [first, second];
}

/** The steps that install a bundle: its ClusterServiceVersion, its CustomResourceDefinitions, its other objects, and the permissions of the operator.
 *  @see docs/spec/olm-v0.md#install-plans
 *  @throws TerminalError InvalidBundle */
export function planSteps(content: BundleContent, options: PlanStepsOptions): readonly InstallPlanStep[] {
  if (!isDeploymentStrategy(content.csv)) {
    const text = `bundle ${content.name}: unrecognized install strategy: expected deployment`;
    throw new TerminalError('InvalidBundle', text);
  }
  const objects = [...content.objects, ...permissionObjects(content.csv, options.namespace)];
  const steps = [resolvedCsv(content.csv, options), ...onceEach(objects)].map((object) =>
    stepOf(object, { resolving: content.name, catalog: options.catalog }),
  );
  return orderSteps(withReferences(steps, content, options));
}

/** Each object once: the last of an identity, and ServiceAccounts with what all of them have, as if they were applied one after the other. */
function onceEach(objects: readonly JsonObject[]): readonly JsonObject[] {
  const byIdentity = new Map<string, JsonObject>();
  for (const object of objects) {
    const { resource } = stepOf(object, { resolving: '', catalog: { name: '', namespace: '' } });
    const identity = JSON.stringify([resource.group, resource.kind, resource.name]);
    const before = byIdentity.get(identity);
    const isAccount = before !== undefined && resource.kind === 'ServiceAccount';
    byIdentity.set(identity, isAccount ? mergedAccount(before, object) : object);
  }
  return [...byIdentity.values()];
}

function mergedAccount(first: JsonObject, second: JsonObject): JsonObject {
  const metadata = [first, second].map((object) => objectAt(object, 'metadata') ?? {});
  const labels = Object.assign({}, ...metadata.map((member) => objectAt(member, 'labels'))) as JsonObject;
  return { ...first, ...second, metadata: { ...metadata[0], ...metadata[1], labels } };
}

/** What users want to read before they approve a plan, and small. */
const permissionKinds = new Set(['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding', 'ServiceAccount']);

/** The steps to refer to instead of writing their manifests into the plan: the largest first, permissions last, until the rest is small enough. */
function largest(steps: readonly InstallPlanStep[], limit: number): ReadonlySet<InstallPlanStep> {
  const sizes = new Map(steps.map((step) => [step, Buffer.byteLength(step.resource.manifest ?? '')]));
  const isKept = ({ resource }: InstallPlanStep): number => (permissionKinds.has(resource.kind) ? 1 : 0);
  const sorted = steps.toSorted((a, b) => isKept(a) - isKept(b) || (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const chosen = new Set<InstallPlanStep>();
  for (const step of sorted) {
    if (bytes <= limit) break;
    chosen.add(step);
    bytes -= sizes.get(step) ?? 0;
  }
  return chosen;
}

function withReferences(
  steps: readonly InstallPlanStep[],
  { name, digest, image }: BundleContent,
  { catalog, replaces, properties, maxInlineBytes: limit = maxInlineBytes }: PlanStepsOptions,
): readonly InstallPlanStep[] {
  if (digest === undefined) return steps;
  const referred = largest(steps, limit);
  return steps.map((step) => {
    if (!referred.has(step)) return step;
    const isCsv = step.resource.kind === clusterServiceVersionResource.kind;
    const resolved = isCsv ? { replaces, properties } : {};
    const manifest = formatReference({ name, digest, image, catalog, ...resolved });
    return { ...step, resource: { ...step.resource, manifest } };
  });
}
