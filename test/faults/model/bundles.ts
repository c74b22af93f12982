import { formatYaml } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import type { DesiredState } from './actions.ts';

/** Annotation of objects that stay when their deployment goes. */
const keepAnnotation = { 'helm.sh/resource-policy': 'keep' };
const wideCount = 9;

function configMap(place: { readonly name: string; readonly namespace: string }, version: number): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: place, data: { version: String(version) } };
}

/** The group of the kinds that a deployment brings. */
export function groupOf(name: string): string {
  return `${name}.model.example.com`;
}

function definition(name: string): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const group = groupOf(name);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  } as unknown as KubeObject;
}

function workload(name: string, version: number): KubeObject {
  const labels = { app: name };
  const containers = [{ name: 'web', image: `registry.example.com/web:v${version}` }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  } as unknown as KubeObject;
}

/** The name of the one object of a deployment that is to be kept. */
export function keptName(name: string): string {
  return `${name}-kept`;
}

function moreObjects(name: string, { shape, version }: DesiredState): readonly KubeObject[] {
  switch (shape) {
    case 'wide':
      return Array.from({ length: wideCount }, (_, index) =>
        configMap({ name: `part-${index}`, namespace: name }, version),
      );
    case 'definition': {
      const thing = { apiVersion: `${groupOf(name)}/v1`, kind: 'Thing', spec: { version: String(version) } };
      return [definition(name), { ...thing, metadata: { name: 'one', namespace: name } }];
    }
    case 'kept': {
      const kept = configMap({ name: keptName(name), namespace: 'default' }, version);
      return [{ ...kept, metadata: { ...kept.metadata, annotations: keepAnnotation } }];
    }
    case 'workload':
      return [workload(name, version)];
    case 'refused':
      return [configMap({ name: 'Not_A_Name', namespace: name }, version)];
    case 'small':
    case 'unreadable':
    default:
      return [];
  }
}

/** The objects of a desired state: a namespace of the deployment's name, and what belongs to the shape. */
export function objectsOf(name: string, desired: DesiredState): readonly KubeObject[] {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  const settings = configMap({ name: 'settings', namespace: name }, desired.version);
  return [namespace, settings, ...moreObjects(name, desired)];
}

/** The bundle files of a desired state. */
export function filesOf(name: string, desired: DesiredState): Readonly<Record<string, string>> {
  const text = objectsOf(name, desired)
    .map((object) => formatYaml(object as never))
    .join('---\n');
  return desired.shape === 'unreadable' ? { 'manifests/below/all.yaml': text } : { 'manifests/all.yaml': text };
}
