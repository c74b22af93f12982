import type { JsonObject } from '../../base/index.ts';
import { packagesApiVersion, packagesGroup, packagesKind, packagesResource, packagesVersion } from './api.ts';
import { openApiV2, openApiV3 } from './open-api.ts';

const version = { groupVersion: packagesApiVersion, version: packagesVersion };
const singular = packagesKind.toLowerCase();

const group: JsonObject = { name: packagesGroup, versions: [version], preferredVersion: version };

const resources: JsonObject = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: packagesApiVersion,
  resources: [
    { name: packagesResource, singularName: singular, namespaced: true, kind: packagesKind, verbs: ['get', 'list'] },
    { name: `${packagesResource}/icon`, singularName: '', namespaced: true, kind: packagesKind, verbs: ['get'] },
  ],
};

function aggregated(apiVersion: string): JsonObject {
  const responseKind = { group: packagesGroup, version: packagesVersion, kind: packagesKind };
  const subresources = [{ subresource: 'icon', responseKind, verbs: ['get'] }];
  const resource = {
    resource: packagesResource,
    responseKind,
    scope: 'Namespaced',
    singularResource: singular,
    verbs: ['get', 'list'],
    subresources,
  };
  const versions = [{ version: packagesVersion, resources: [resource], freshness: 'Current' }];
  const items = [{ metadata: { name: packagesGroup, creationTimestamp: null }, versions }];
  return { kind: 'APIGroupDiscoveryList', apiVersion, metadata: {}, items };
}

/** A document and its media type. */
export interface ServedDocument {
  readonly body: JsonObject;
  readonly type: string;
}

const json = 'application/json';

/** The list of groups in the newest form that the client accepts. */
function groups(accept: string): ServedDocument {
  for (const form of ['v2', 'v2beta1']) {
    const parameters = `g=apidiscovery.k8s.io;v=${form};as=APIGroupDiscoveryList`;
    if (accept.replaceAll(' ', '').includes(parameters)) {
      return { body: aggregated(`apidiscovery.k8s.io/${form}`), type: `${json};${parameters}` };
    }
  }
  return { body: { kind: 'APIGroupList', apiVersion: 'v1', groups: [group] }, type: json };
}

const v3Path = `apis/${packagesApiVersion}`;

const documents: Readonly<Record<string, () => JsonObject>> = {
  [`/apis/${packagesGroup}`]: () => ({ kind: 'APIGroup', apiVersion: 'v1', ...group }),
  [`/apis/${packagesApiVersion}`]: () => resources,
  '/openapi/v2': openApiV2,
  '/openapi/v3': () => ({ paths: { [v3Path]: { serverRelativeURL: `/openapi/v3/${v3Path}` } } }),
  [`/openapi/v3/${v3Path}`]: openApiV3,
};

/** Discovery and OpenAPI; undefined for another path. */
export function documentAt(path: string, accept: string): ServedDocument | undefined {
  if (path === '/apis') return groups(accept);
  const body = Object.hasOwn(documents, path) ? documents[path]?.() : undefined;
  return body === undefined ? undefined : { body, type: json };
}
