import type { JsonObject } from '../../../src/base/index.ts';

/** Kinds that the machine-config-operator watches beside its own: nothing is checked of them. */
const kinds: readonly (readonly [group: string, version: string, kind: string, plural: string])[] = [
  ['machineconfiguration.openshift.io', 'v1', 'ControllerConfig', 'controllerconfigs'],
  ['machineconfiguration.openshift.io', 'v1', 'ContainerRuntimeConfig', 'containerruntimeconfigs'],
  ['machineconfiguration.openshift.io', 'v1', 'KubeletConfig', 'kubeletconfigs'],
  ['machineconfiguration.openshift.io', 'v1', 'MachineOSConfig', 'machineosconfigs'],
  ['machineconfiguration.openshift.io', 'v1', 'MachineOSBuild', 'machineosbuilds'],
  ['machineconfiguration.openshift.io', 'v1', 'MachineConfigNode', 'machineconfignodes'],
  ['machineconfiguration.openshift.io', 'v1', 'OSImageStream', 'osimagestreams'],
  ['config.openshift.io', 'v1', 'Scheduler', 'schedulers'],
  ['config.openshift.io', 'v1', 'Infrastructure', 'infrastructures'],
  ['config.openshift.io', 'v1', 'ImageDigestMirrorSet', 'imagedigestmirrorsets'],
  ['config.openshift.io', 'v1', 'ImageTagMirrorSet', 'imagetagmirrorsets'],
  ['config.openshift.io', 'v1', 'Image', 'images'],
  ['operator.openshift.io', 'v1', 'MachineConfiguration', 'machineconfigurations'],
  ['operator.openshift.io', 'v1alpha1', 'ImageContentSourcePolicy', 'imagecontentsourcepolicies'],
];

function definition([group, version, kind, plural]: (typeof kinds)[number]): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }];
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, names, scope: 'Cluster', versions },
  };
}

/** Their definitions. */
export const referenceCrds: readonly JsonObject[] = kinds.map(definition);

/** What the machine-config-operator reads before it works: written by its other parts. */
export const referenceObjects: readonly JsonObject[] = [
  // Its Events are written there.
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openshift-machine-config-operator' } },
  {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'ControllerConfig',
    metadata: {
      name: 'machine-config-controller',
      annotations: { 'machineconfiguration.openshift.io/generated-by-version': 'v0.0.0-was-not-built-properly' },
    },
    spec: {
      clusterDNSIP: '',
      cloudProviderConfig: '',
      osImageURL: '',
      infra: {
        apiVersion: 'config.openshift.io/v1',
        kind: 'Infrastructure',
        metadata: { name: 'cluster' },
        spec: {},
        status: { controlPlaneTopology: 'HighlyAvailable' },
      },
    },
    status: {
      observedGeneration: 1,
      conditions: [{ type: 'TemplateControllerCompleted', status: 'True' }],
      controllerCertificates: [],
    },
  },
];
