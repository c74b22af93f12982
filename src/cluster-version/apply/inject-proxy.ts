import { isJsonObject, type JsonObject, objectAt, objectsAt, TerminalError, textAt } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import type { ReleaseManifest } from '../../release/index.ts';
import { annotationOf, applyAnnotations } from './desired-object.ts';

/** Environment variables of the cluster's proxy: `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`. Empty without one. */
export type ProxyVariables = Readonly<Record<string, string>>;

/** Those of a Proxy of `config.openshift.io`. */
export function proxyVariables(proxy: KubeObject | undefined): ProxyVariables {
  const status = objectAt(proxy as JsonObject | undefined, 'status');
  const values = {
    HTTP_PROXY: textAt(status, 'httpProxy'),
    HTTPS_PROXY: textAt(status, 'httpsProxy'),
    NO_PROXY: textAt(status, 'noProxy'),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

function withVariables(container: JsonObject, variables: ProxyVariables): JsonObject {
  const present = objectsAt(container, 'env').filter((one) => !Object.hasOwn(variables, textAt(one, 'name')));
  const added = Object.entries(variables).map(([name, value]) => ({ name, value }));
  return { ...container, env: [...present, ...added] };
}

/** Sets the variables in the containers that the annotation of the manifest names.
 *  @throws TerminalError UnknownContainer */
export function injectProxy(object: KubeObject, manifest: ReleaseManifest, variables: ProxyVariables): KubeObject {
  const names = annotationOf(manifest, applyAnnotations.injectProxy)
    .split(',')
    .filter((name) => name !== '');
  const isWorkload = object.kind === 'Deployment' || object.kind === 'DaemonSet';
  if (!isWorkload || names.length === 0 || Object.keys(variables).length === 0) return object;
  const { spec } = object;
  const template = objectAt(object as JsonObject, 'spec', 'template');
  const pod = objectAt(template, 'spec');
  if (!isJsonObject(spec) || template === undefined || pod === undefined) return object;
  const all = [...objectsAt(pod, 'containers'), ...objectsAt(pod, 'initContainers')].map((one) => textAt(one, 'name'));
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    throw new TerminalError('UnknownContainer', `requested injection for non-existent container: "${unknown}"`);
  }
  const inject = (key: string): JsonObject => {
    if (!Array.isArray(pod[key])) return {};
    const containers = objectsAt(pod, key);
    return {
      [key]: containers.map((one) => (names.includes(textAt(one, 'name')) ? withVariables(one, variables) : one)),
    };
  };
  const injected = { ...pod, ...inject('containers'), ...inject('initContainers') };
  return { ...object, spec: { ...spec, template: { ...template, spec: injected } } };
}
