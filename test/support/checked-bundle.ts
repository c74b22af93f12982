import { createObjectValidator } from '../../apiserver/index.ts';
import type { JsonObject } from '../../src/base/index.ts';
import {
  type BundleUnderCheck,
  type CheckContext,
  checks,
  type Finding,
  type OtherEntry,
  readBundleForChecks,
  runChecks,
  type Selection,
  selectChecks,
} from '../../src/bundle-checks/index.ts';

/** Files by path; objects are written as JSON, undefined takes a file away. */
export type TestFiles = Readonly<Record<string, JsonObject | string | Buffer | undefined>>;

/** What a file holds: objects as JSON. */
export function contentOf(value: JsonObject | string | Buffer): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A bundle of these files and of other things (directories) in it, as checks see it. */
export function testBundle(files: TestFiles, others: readonly OtherEntry[] = []): BundleUnderCheck {
  const given = Object.entries(files).flatMap(([path, value]) =>
    value === undefined ? [] : [{ path, content: contentOf(value) }],
  );
  return readBundleForChecks({
    name: 'test-bundle',
    files: given.sort((a, b) => (a.path < b.path ? -1 : 1)),
    otherEntries: others,
  });
}

/** The findings of the checks about a bundle; the usual ones unless others are selected. */
export function validateBundle(
  bundle: BundleUnderCheck,
  options: Partial<Selection> & { readonly context?: Partial<CheckContext> } = {},
): readonly Finding[] {
  const { select = ['default'], ignore = [], context = {} } = options;
  return runChecks(bundle, selectChecks(checks, { select, ignore }), { rules: createObjectValidator(), ...context });
}

/** `manifests/tide.yaml:3:5 error CSV12 install modes not found` */
export function shownFinding({ file = '', line, column, severity, id, message }: Finding): string {
  const position = line === undefined ? '' : `:${line}:${column ?? ''}`;
  return `${file}${position} ${severity} ${id} ${message}`;
}

/** The findings of a bundle of these files, a line each. */
export function findingsOf(files: TestFiles, others: readonly OtherEntry[] = []): readonly string[] {
  return validateBundle(testBundle(files, others)).map(shownFinding);
}

const annotations = `annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: tide-gauge
  operators.operatorframework.io.bundle.channels.v1: stable,candidate
  operators.operatorframework.io.bundle.channel.default.v1: stable
`;

/** An operator that measures tides: no errors, the warnings that every minimal bundle has. */
export const tideCsv = `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: tide-gauge.v0.4.0
spec:
  displayName: Tide gauge
  version: 0.4.0
  installModes:
  - type: AllNamespaces
    supported: true
  customresourcedefinitions:
    owned:
    - name: gauges.tide.example
      version: v1
      kind: Gauge
  relatedImages:
  - name: gauge
    image: registry.example/tide/gauge@sha256:9b2a28eb47540823042a2ba401386845089bb7b62a9637d55816132c4c3c36eb
  install:
    strategy: deployment
    spec:
      deployments:
      - name: tide-gauge
        spec:
          replicas: 1
          selector:
            matchLabels: {app: tide-gauge}
          template:
            metadata:
              labels: {app: tide-gauge}
            spec:
              serviceAccountName: tide-gauge
              containers:
              - name: manager
                image: registry.example/tide/gauge@sha256:9b2a28eb47540823042a2ba401386845089bb7b62a9637d55816132c4c3c36eb
      clusterPermissions:
      - serviceAccountName: tide-gauge
        rules:
        - apiGroups: [tide.example]
          resources: [gauges]
          verbs: [get, list, watch]
`;

const tideCrd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gauges.tide.example
spec:
  group: tide.example
  scope: Namespaced
  names:
    plural: gauges
    singular: gauge
    kind: Gauge
    listKind: GaugeList
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              station: {type: string, minLength: 3}
              everySeconds: {type: integer, minimum: 1}
`;

type TideFile =
  | 'manifests/tide-gauge.clusterserviceversion.yaml'
  | 'manifests/tide.example_gauges.yaml'
  | 'metadata/annotations.yaml';

/** The files of that operator's bundle, which tests change. */
export const tideFiles: Readonly<Record<TideFile, string>> = {
  'manifests/tide-gauge.clusterserviceversion.yaml': tideCsv,
  'manifests/tide.example_gauges.yaml': tideCrd,
  'metadata/annotations.yaml': annotations,
};
