import { TerminalError, textAt } from '../../base/index.ts';
import { compareVersions, parseTolerantVersion, parseVersion, type Version } from '../../constraints/index.ts';
import type { BundleUnderCheck, ManifestObject } from '../bundle.ts';
import type { Check, CheckContext, Hit, Place } from '../check.ts';
import { csvRules, goList, hasAny, itemsAt, itemsBelow, placeIn } from './csv-view.ts';

const deprecated = { suite: 'deprecated-apis', stage: 'optional' } as const;

interface Removal {
  /** `1.25` */
  readonly release: string;
  /** Kinds by API version. */
  readonly kinds: Readonly<Record<string, readonly string[]>>;
}

/** @see https://kubernetes.io/docs/reference/using-api/deprecation-guide/ */
const removals: readonly Removal[] = [
  {
    release: '1.22',
    kinds: {
      'apiextensions.k8s.io/v1beta1': ['CustomResourceDefinition'],
      'scheduling.k8s.io/v1beta1': ['PriorityClass'],
      'rbac.authorization.k8s.io/v1beta1': ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'],
      'apiregistration.k8s.io/v1beta1': ['APIService'],
      'authentication.k8s.io/v1beta1': ['TokenReview'],
      'authorization.k8s.io/v1beta1': ['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SubjectAccessReview'],
      'admissionregistration.k8s.io/v1beta1': ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
      'coordination.k8s.io/v1beta1': ['Lease'],
      'extensions/v1beta1': ['Ingress'],
      'networking.k8s.io/v1beta1': ['Ingress', 'IngressClass'],
      'storage.k8s.io/v1beta1': ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment'],
      'certificates.k8s.io/v1beta1': ['CertificateSigningRequest'],
    },
  },
  {
    release: '1.25',
    kinds: {
      'batch/v1beta1': ['CronJob'],
      'discovery.k8s.io/v1beta1': ['EndpointSlice'],
      'events.k8s.io/v1beta1': ['Event'],
      'autoscaling/v2beta1': ['HorizontalPodAutoscaler'],
      'policy/v1beta1': ['PodDisruptionBudget', 'PodSecurityPolicy'],
      'node.k8s.io/v1beta1': ['RuntimeClass'],
    },
  },
  { release: '1.26', kinds: { 'autoscaling/v2beta2': ['HorizontalPodAutoscaler'] } },
];

/** A use of a removed API. */
interface Use {
  readonly kind: string;
  readonly name: string;
  readonly place: Place;
}

/** What is compared: a manifest, or an API that a CRD description names. */
interface Mention extends Use {
  readonly apiVersion: string;
}

function manifestsOf({ objects }: BundleUnderCheck): readonly Mention[] {
  return objects.map((object) => ({ ...object, place: placeIn(object) }));
}

function describedApis(csv: ManifestObject): readonly Mention[] {
  return (['owned', 'required'] as const).flatMap((list) => {
    const descriptions = itemsAt(csv.object, 'spec', 'customresourcedefinitions', list);
    return itemsBelow(descriptions, 'resources').map(({ value, path }) => ({
      apiVersion: textAt(value, 'version'),
      kind: textAt(value, 'kind'),
      name: `ClusterServiceVersion.Spec.CustomResourceDefinitions.${list === 'owned' ? 'Owned' : 'Required'}[${path[3]}].Resource[${path[5]}]`,
      place: placeIn(csv, ...path),
    }));
  });
}

function mentionsFor(bundle: BundleUnderCheck, { release }: Removal): readonly Mention[] {
  const isDescribed = release === '1.25' && bundle.csv !== undefined;
  return [...manifestsOf(bundle), ...(isDescribed && bundle.csv !== undefined ? describedApis(bundle.csv) : [])];
}

function usesOf(bundle: BundleUnderCheck, removal: Removal): readonly Use[] {
  return mentionsFor(bundle, removal).filter(
    ({ apiVersion, kind }) =>
      Object.hasOwn(removal.kinds, apiVersion) && removal.kinds[apiVersion]?.includes(kind) === true,
  );
}

function messageOf(release: string, uses: readonly Use[]): string {
  const names = Map.groupBy(uses, ({ kind }) => (kind === 'CustomResourceDefinition' ? 'CRD' : kind));
  const kinds = [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, used]) => `${kind}: (${goList(used.map(({ name }) => name))})`);
  return `this bundle is using APIs which were deprecated and removed in v${release}. More info: https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v${release.replace('.', '-')}. Migrate the API(s) for ${kinds.join(',')}`;
}

function versionOr(parse: (text: string) => Version, text: string | undefined): Version | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return parse(text);
  } catch (thrown) {
    if (thrown instanceof TerminalError) return undefined;
    throw thrown;
  }
}

function minKubeVersionOf({ csv }: BundleUnderCheck): string {
  const spec = csv?.object['spec'];
  return typeof spec === 'object' && spec !== null && !Array.isArray(spec) ? textAt(spec, 'minKubeVersion') : '';
}

/** Whether the bundle declares, or the user requests, a release that has removed the API. */
function isNeeded(bundle: BundleUnderCheck, { kubernetesVersion }: CheckContext, release: string): boolean {
  const removedIn = parseTolerantVersion(release);
  return [versionOr(parseTolerantVersion, kubernetesVersion), versionOr(parseVersion, minKubeVersionOf(bundle))].some(
    (version) => version !== undefined && compareVersions(version, removedIn) >= 0,
  );
}

function* removedIn(bundle: BundleUnderCheck, context: CheckContext, removal: Removal): Iterable<Hit> {
  const uses = usesOf(bundle, removal);
  if (uses.length === 0) return;
  const severity = isNeeded(bundle, context, removal.release) ? 'error' : 'warning';
  yield { message: messageOf(removal.release, uses), severity, place: uses[0]?.place };
}

/** Roles may name removed APIs: nothing fails then, so this is never more than a warning. */
function* podSecurityPolicyRules({ csv }: BundleUnderCheck): Iterable<Hit> {
  if (csv === undefined || describedApis(csv).some(({ kind }) => kind === 'PodSecurityPolicy')) return;
  const uses = csvRules(csv)
    .filter(({ apiGroups, resources }) => hasAny(apiGroups, 'policy') && hasAny(resources, 'podsecuritypolicies'))
    .map(({ path }) => {
      const list = path[3] === 'permissions' ? 'Permissions' : 'ClusterPermissions';
      const name = `ClusterServiceVersion.Spec.InstallStrategy.StrategySpec.${list}[${path[4]}].Rules[${path[6]}]`;
      return { kind: 'podsecuritypolicies', name, place: placeIn(csv, ...path) };
    });
  if (uses.length > 0) yield { message: messageOf('1.25', uses), severity: 'warning', place: uses[0]?.place };
}

function* badOption(_bundle: BundleUnderCheck, { kubernetesVersion }: CheckContext): Iterable<Hit> {
  if (kubernetesVersion === undefined || versionOr(parseTolerantVersion, kubernetesVersion) !== undefined) return;
  yield { message: `invalid value informed via the k8s key option : ${kubernetesVersion}` };
}

function* badMinKubeVersion(bundle: BundleUnderCheck): Iterable<Hit> {
  const version = minKubeVersionOf(bundle);
  if (bundle.csv === undefined || version.trim() === '' || versionOr(parseVersion, version) !== undefined) return;
  yield {
    message: `unable to use csv.Spec.MinKubeVersion to verify the CRD/Webhook apis because it has an invalid value: ${version}`,
    place: placeIn(bundle.csv, 'spec', 'minKubeVersion'),
  };
}

/** Whether manifests use an API that this release removed: `1.22`. */
export function usesRemovedApis(bundle: BundleUnderCheck, release: string): boolean {
  return removals.some((removal) => removal.release === release && usesOf(bundle, removal).length > 0);
}

/** All findings about removed APIs. */
export function* removedApiHits(bundle: BundleUnderCheck, context: CheckContext): Iterable<Hit> {
  for (const hit of badOption(bundle, context)) yield { ...hit, severity: 'error' };
  for (const hit of badMinKubeVersion(bundle)) yield { ...hit, severity: 'error' };
  for (const removal of removals) yield* removedIn(bundle, context, removal);
  yield* podSecurityPolicyRules(bundle);
}

const byRelease: readonly Check[] = removals.map((removal) => ({
  id: `DEP${removal.release.replace('.', '')}`,
  ...deprecated,
  severity: 'warning',
  title: `an API is used that Kubernetes ${removal.release} removed; an error when the bundle is for that release or a later one`,
  whatToDo: 'Use the API versions that the guide names.',
  find: (bundle, context) => removedIn(bundle, context, removal),
}));

/** APIs that releases of Kubernetes removed. @see docs/spec/bundle-format.md#alpha-deprecated-apis */
export const deprecatedApiChecks: readonly Check[] = [
  {
    id: 'DEP1',
    ...deprecated,
    severity: 'error',
    title: 'the target release is not a version',
    whatToDo: 'Give --k8s-version a release: 1.25.',
    find: badOption,
  },
  {
    id: 'DEP2',
    ...deprecated,
    severity: 'error',
    title: 'minKubeVersion is not a version',
    whatToDo: 'Write spec.minKubeVersion with three numbers: 1.25.0.',
    find: badMinKubeVersion,
  },
  ...byRelease,
  {
    id: 'DEP3',
    ...deprecated,
    severity: 'warning',
    title: 'permissions name PodSecurityPolicies, which Kubernetes 1.25 removed',
    whatToDo: 'Remove podsecuritypolicies from the rule unless an older release is supported.',
    find: podSecurityPolicyRules,
  },
];
