import type { JsonObject, JsonValue } from '../../base/index.ts';
import kubernetesTypes from './generated/kubernetes-types.json' with { type: 'json' };
import { TypedForms, type TypeTable } from './typed.ts';
import { inspectTyped, type TypeProblem } from './typed-inspection.ts';

/** Where an operator may look for its objects. */
export type InstallMode = 'AllNamespaces' | 'OwnNamespace' | 'SingleNamespace' | 'MultiNamespace';

/** One rule of RBAC, as written in JSON. */
export interface PolicyRule {
  readonly verbs: readonly string[] | null;
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** What one ServiceAccount may do. */
export interface Permission {
  /** Empty: `default`. */
  readonly serviceAccountName: string;
  readonly rules: readonly PolicyRule[] | null;
}

/** A Deployment that the operator consists of. */
export interface DeploymentEntry {
  readonly name: string;
  readonly label?: Readonly<Record<string, string>>;
  /** `apps/v1` DeploymentSpec. */
  readonly spec: JsonObject;
}

/** A webhook that a Deployment of the operator serves. */
export interface WebhookEntry {
  readonly generateName: string;
  readonly type: string;
  readonly deploymentName?: string;
  readonly containerPort?: number;
  readonly targetPort?: number | string;
  readonly rules?: readonly WebhookRule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly objectSelector?: JsonObject;
  readonly sideEffects: string | null;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[] | null;
  readonly reinvocationPolicy?: string;
  readonly webhookPath?: string;
  readonly conversionCRDs?: readonly string[];
}

/** What a webhook is asked about. */
export interface WebhookRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

/** An API that is owned or required. */
export interface CrdDescription {
  readonly name: string;
  readonly version: string;
  readonly kind: string;
}

/** An aggregated API that is owned or required. */
export interface ApiServiceDescription {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly deploymentName?: string;
  readonly containerPort?: number;
}

/** A ClusterServiceVersion after its types were checked: without unknown members. */
export interface ClusterServiceVersion {
  readonly metadata: {
    readonly name?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly install: {
      readonly strategy: string;
      readonly spec: {
        readonly deployments: readonly DeploymentEntry[] | null;
        readonly permissions?: readonly Permission[];
        readonly clusterPermissions?: readonly Permission[];
      };
    };
    readonly installModes?: readonly { readonly type: string; readonly supported: boolean }[];
    readonly customresourcedefinitions: {
      readonly owned?: readonly CrdDescription[];
      readonly required?: readonly CrdDescription[];
    };
    readonly apiservicedefinitions: {
      readonly owned?: readonly ApiServiceDescription[];
      readonly required?: readonly ApiServiceDescription[];
    };
    readonly webhookdefinitions?: readonly WebhookEntry[];
    readonly nativeAPIs?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
    readonly minKubeVersion?: string;
    readonly version?: string;
    readonly replaces?: string;
    readonly skips?: readonly string[];
  };
}

const descriptor = {
  path: '!string',
  displayName: 'string',
  description: 'string',
  'x-descriptors': '[]string',
  value: 'json',
};

const description = {
  name: '!string',
  version: '!string',
  kind: '!string',
  displayName: 'string',
  description: 'string',
  resources: '[]#ApiResourceReference',
  statusDescriptors: '[]#Descriptor',
  specDescriptors: '[]#Descriptor',
  actionDescriptors: '[]#Descriptor',
};

/** The types of a ClusterServiceVersion. @see docs/spec/bundle-format.md#csv-field-reference */
const csvTypes: TypeTable = {
  ClusterServiceVersion: {
    apiVersion: 'string',
    kind: 'string',
    metadata: '#ObjectMeta',
    spec: '!#ClusterServiceVersionSpec',
  },
  ClusterServiceVersionSpec: {
    install: '!#InstallStrategy',
    version: 'string',
    release: 'string',
    maturity: 'string',
    customresourcedefinitions: '#CustomResourceDefinitions',
    apiservicedefinitions: '#ApiServiceDefinitions',
    webhookdefinitions: '[]#WebhookEntry',
    nativeAPIs: '[]#GroupVersionKind',
    minKubeVersion: 'string',
    displayName: '!string',
    description: 'string',
    keywords: '[]string',
    maintainers: '[]#Maintainer',
    provider: '#Link',
    links: '[]#Link',
    icon: '[]#Icon',
    installModes: '[]#InstallMode',
    replaces: 'string',
    labels: '{}string',
    annotations: '{}string',
    selector: '*#LabelSelector',
    cleanup: '#Cleanup',
    skips: '[]string',
    relatedImages: '[]#RelatedImage',
  },
  InstallStrategy: { strategy: '!string', spec: '#InstallSpec' },
  InstallSpec: {
    deployments: '![]#DeploymentEntry',
    permissions: '[]#Permission',
    clusterPermissions: '[]#Permission',
  },
  DeploymentEntry: { name: '!string', spec: '!#DeploymentSpec', label: '{}string' },
  Permission: { serviceAccountName: '!string', rules: '![]#PolicyRule' },
  CustomResourceDefinitions: { owned: '[]#CrdDescription', required: '[]#CrdDescription' },
  CrdDescription: description,
  ApiServiceDefinitions: { owned: '[]#ApiServiceDescription', required: '[]#ApiServiceDescription' },
  ApiServiceDescription: { ...description, group: '!string', deploymentName: 'string', containerPort: 'int32' },
  ApiResourceReference: { name: '!string', kind: '!string', version: '!string' },
  Descriptor: descriptor,
  WebhookEntry: {
    generateName: '!string',
    type: '!string',
    deploymentName: 'string',
    containerPort: 'int32',
    targetPort: '*intOrString',
    rules: '[]#RuleWithOperations',
    failurePolicy: '*string',
    matchPolicy: '*string',
    objectSelector: '*#LabelSelector',
    sideEffects: '!*string',
    timeoutSeconds: '*int32',
    admissionReviewVersions: '![]string',
    reinvocationPolicy: '*string',
    webhookPath: '*string',
    conversionCRDs: '[]string',
  },
  GroupVersionKind: { group: '!string', version: '!string', kind: '!string' },
  InstallMode: { type: '!string', supported: '!bool' },
  Maintainer: { name: 'string', email: 'string' },
  Link: { name: 'string', url: 'string' },
  Icon: { base64data: '!string', mediatype: '!string' },
  Cleanup: { enabled: '!bool' },
  RelatedImage: { name: '!string', image: '!string' },
};

/** What is looked at of any other object. */
const manifestTypes: TypeTable = { Manifest: { apiVersion: 'string', kind: 'string', metadata: '#ObjectMeta' } };

const forms: TypedForms = new TypedForms({ ...(kubernetesTypes as TypeTable), ...csvTypes, ...manifestTypes });

/** Checks the types of a ClusterServiceVersion.
 *  @throws TypeMismatch */
export function readCsv(object: JsonObject): ClusterServiceVersion {
  return forms.write('ClusterServiceVersion', object) as unknown as ClusterServiceVersion;
}

/** Everything in a ClusterServiceVersion that has another type than it should, or is not known. */
export function inspectCsv(object: JsonObject): readonly TypeProblem[] {
  return inspectTyped(forms, 'ClusterServiceVersion', object);
}

/** A CustomResourceDefinition as the typed API writes it, whatever version its `apiVersion` claims; without status.
 *  @throws TypeMismatch */
export function readCrd(object: JsonObject): JsonObject {
  const { status: _status, ...rest } = forms.write('CustomResourceDefinition', object);
  return rest;
}

/** Checks what is looked at of any other object: its version, kind and metadata.
 *  @throws TypeMismatch */
export function assertManifest(object: JsonObject): void {
  forms.write('Manifest', object);
}

/** A struct of the Kubernetes API (`Volume`, `EnvVar`, …) as the typed API writes it.
 *  @throws TypeMismatch */
export function readTyped(name: string, value: JsonValue): JsonObject {
  return forms.write(name, value);
}

/** The modes that the operator supports, sorted. A repeated one counts as supported when one entry supports it. */
export function supportedModes(csv: ClusterServiceVersion): readonly InstallMode[] {
  const modes = (csv.spec.installModes ?? []).filter(({ supported }) => supported).map(({ type }) => type);
  return [...new Set(modes)].sort() as InstallMode[];
}
