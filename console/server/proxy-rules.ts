/** A request that the proxy forwards. */
export interface ProxiedRequest {
  readonly method: string;
  /** Without the prefix and the query. */
  readonly path: string;
}

/** Resources that pages change, by group. Anything else is read only. */
const writable: Readonly<Record<string, readonly string[]>> = {
  '': ['namespaces'],
  'core.rukpak.io': ['bundles', 'bundledeployments'],
  'operators.coreos.com': [
    'subscriptions',
    'installplans',
    'clusterserviceversions',
    'operatorgroups',
    'catalogsources',
  ],
  'olm.operatorframework.io': ['clusterextensions', 'clustercatalogs'],
  'platform.openshift.io': ['platformoperators'],
  'config.openshift.io': ['clusterversions'],
  'machine.openshift.io': ['machines', 'machinesets', 'machinehealthchecks'],
  'machineconfiguration.openshift.io': ['machineconfigpools'],
};

/** Groups of Kubernetes and OpenShift themselves; everything with another dot is of a CustomResourceDefinition, or of an extension. */
const platformGroup = /(?:^|\.)(?:k8s\.io|openshift\.io)$/;

/** Whether it is an object that an operator is asked by, which forms create. */
function isCustom({ group }: Target): boolean {
  const isOurs = Object.hasOwn(writable, group);
  return group.includes('.') && !isOurs && !platformGroup.test(group);
}

/** What is asked about the viewer: created, and stored nowhere. */
const reviews: Readonly<Record<string, readonly string[]>> = {
  'authorization.k8s.io': ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
  'authentication.k8s.io': ['selfsubjectreviews'],
};

/** Never read through the console, by any user. */
const secret: ReadonlySet<string> = new Set([
  // `/api/v1/watch/…` is an old form of a watch, whose path names the resource later.
  'watch',
  'proxy',
  'secrets',
  'oauthaccesstokens',
  'oauthauthorizetokens',
  'oauthclients',
]);
const readableSubresources: ReadonlySet<string> = new Set(['log', 'status', 'scale']);
const maxSegmentLength = 253;

interface Target {
  readonly group: string;
  readonly resource: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** The parts of a path of the API; undefined for anything that is not a plain path to resources. */
function parsePath(path: string): Target | undefined {
  const segments = path.split('/').slice(1);
  const isPlain = segments.every(
    (one) => one.length <= maxSegmentLength && /^[\w.:-]+$/.test(one) && !/^\.+$/.test(one),
  );
  if (!isPlain) return undefined;
  const [root, ...rest] = segments;
  const [group, , ...below] = root === 'api' ? ['', ...rest] : rest;
  if ((root !== 'api' && root !== 'apis') || group === undefined) return undefined;
  const isNamespaced = below[0] === 'namespaces' && below.length > 2;
  const [resource, name, subresource, ...more] = isNamespaced ? below.slice(2) : below;
  if (resource === undefined || more.length > 0) return undefined;
  return { group, resource, name, subresource };
}

function includes(table: Readonly<Record<string, readonly string[]>>, { group, resource }: Target): boolean {
  return Object.hasOwn(table, group) && table[group]?.includes(resource) === true;
}

function isReadable({ resource, subresource }: Target): boolean {
  return !secret.has(resource) && (subresource === undefined || readableSubresources.has(subresource));
}

const allowed: Readonly<Record<string, (target: Target) => boolean>> = {
  GET: isReadable,
  POST: (target) =>
    target.name === undefined && (includes(reviews, target) || includes(writable, target) || isCustom(target)),
  PATCH: (target) => target.name !== undefined && target.subresource === undefined && includes(writable, target),
  DELETE: (target) => target.name !== undefined && target.subresource === undefined && includes(writable, target),
};

/** Why a request is not forwarded; undefined when it is. Secrets are never read; objects of kinds that no page changes are not written. */
export function refusalOf({ method, path }: ProxiedRequest): string | undefined {
  const target = parsePath(path);
  if (target === undefined) return `${path.slice(0, 200)} is no path to objects of the Kubernetes API`;
  const rule = Object.hasOwn(allowed, method) ? allowed[method] : undefined;
  if (rule?.(target) === true) return undefined;
  const what = [target.resource, target.group].filter((text) => text !== '').join('.');
  return `the console does not ${method} ${what}${target.subresource === undefined ? '' : `/${target.subresource}`}`;
}
