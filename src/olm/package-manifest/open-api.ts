import type { JsonObject } from '../../base/index.ts';
import { packagesApiVersion, packagesGroup, packagesKind, packagesResource, packagesVersion } from './api.ts';

type Properties = Readonly<Record<string, JsonObject>>;

function text(description: string): JsonObject {
  return { type: 'string', description };
}

function object(description: string, properties: Properties): JsonObject {
  return { type: 'object', description, properties: { ...properties } };
}

function list(description: string, items: JsonObject): JsonObject {
  return { type: 'array', description, items };
}

const deprecation = object('Why it should no longer be used.', { message: text('The reason, for people.') });

const link = object('A place on the web.', { name: text('Name of the place.'), url: text('Its address.') });

const described: Properties = {
  name: text('Name of the definition.'),
  version: text('Version of the API.'),
  kind: text('Kind of the objects.'),
  displayName: text('Name of the kind for people.'),
  description: text('What the kind is for.'),
};

function ownedAndRequired(what: string, properties: Properties): JsonObject {
  const items = object(`One of the ${what}.`, properties);
  return object(`The ${what} of the operator.`, {
    owned: list(`${what} that it provides.`, items),
    required: list(`${what} that it needs.`, items),
  });
}

const description = object('What the catalog has of the newest version of the channel.', {
  displayName: text('Name of the operator for people.'),
  version: text('Version of the operator.'),
  description: text('What the operator does, in Markdown.'),
  provider: link,
  annotations: { type: 'object', description: 'Annotations of the version.', additionalProperties: { type: 'string' } },
  keywords: list('Words to find the operator by.', { type: 'string' }),
  links: list('Places with more about the operator.', link),
  maintainers: list(
    'Those who maintain the operator.',
    object('One of them.', { name: text('Name.'), email: text('Address.') }),
  ),
  maturity: text('How mature the version is.'),
  installModes: list(
    'Which namespaces it can be installed for.',
    object('One of the modes.', {
      type: text('Name of the mode.'),
      supported: { type: 'boolean', description: 'Whether the version supports it.' },
    }),
  ),
  customresourcedefinitions: ownedAndRequired('CustomResourceDefinitions', described),
  apiservicedefinitions: ownedAndRequired('APIServices', { group: text('Group of the API.'), ...described }),
  nativeApis: list(
    'APIs of Kubernetes that it needs.',
    object('One of the APIs.', { group: text('Group.'), version: text('Version.'), kind: text('Kind.') }),
  ),
  minKubeVersion: text('The oldest version of Kubernetes that it works on.'),
  relatedImages: list('Images that it uses.', { type: 'string' }),
});

const channel = object('A line of updates of the package.', {
  name: text('Name of the channel.'),
  currentCSV: text('Name of the newest version in the channel.'),
  currentCSVDesc: description,
  deprecation,
  entries: list(
    'Versions in the channel, the newest first.',
    object('A version in the channel.', {
      name: text('Name of the version.'),
      version: text('The version.'),
      deprecation,
    }),
  ),
});

const status = object('The package as its catalog has it.', {
  catalogSource: text('Name of the CatalogSource.'),
  catalogSourceDisplayName: text('Name of the catalog for people.'),
  catalogSourcePublisher: text('Publisher of the catalog.'),
  catalogSourceNamespace: text('Namespace of the CatalogSource.'),
  provider: link,
  packageName: text('Name of the package.'),
  deprecation,
  channels: list('Channels of the package, by name.', channel),
  defaultChannel: text('Channel of installations that name none.'),
});

const kind = { group: packagesGroup, version: packagesVersion, kind: packagesKind };
const own = `com.coreos.operators.packages.v1.${packagesKind}`;
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

function schemas(root: string, metadata: JsonObject): JsonObject {
  const head = {
    apiVersion: text('Version of the form of this object.'),
    kind: text('Kind of this object.'),
  };
  return {
    [own]: {
      ...object('An operator that can be installed from a catalog. Read only.', {
        ...head,
        metadata,
        spec: object('Always empty.', {}),
        status,
      }),
      'x-kubernetes-group-version-kind': [kind],
    },
    [`${own}List`]: {
      ...object('Operators that can be installed.', {
        ...head,
        metadata: { type: 'object', description: 'Metadata of the list.' },
        items: list('The operators.', { $ref: `${root}/${own}` }),
      }),
      'x-kubernetes-group-version-kind': [{ ...kind, kind: `${packagesKind}List` }],
    },
    [meta]: object('Metadata of the object.', { name: text('Name of the object.'), namespace: text('Its namespace.') }),
  };
}

interface Operation {
  readonly path: string;
  readonly action: 'list' | 'get';
  readonly schema: string;
}

const inNamespace = `/apis/${packagesApiVersion}/namespaces/{namespace}/${packagesResource}`;
const operations: readonly Operation[] = [
  { path: `/apis/${packagesApiVersion}/${packagesResource}`, action: 'list', schema: `${own}List` },
  { path: inNamespace, action: 'list', schema: `${own}List` },
  { path: `${inNamespace}/{name}`, action: 'get', schema: own },
];

function pathsOf(root: string, contentOf: (schema: JsonObject) => JsonObject): JsonObject {
  const entries = operations.map(({ path, action, schema }, index) => {
    const get = {
      operationId: `${action}PackageManifest${index}`,
      responses: { 200: { description: 'OK', ...contentOf({ $ref: `${root}/${schema}` }) } },
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': kind,
    };
    return [path, { get }] as const;
  });
  return Object.fromEntries(entries);
}

const info = { title: 'Packages of operators', version: packagesVersion };

/** For clients before OpenAPI 3. */
export function openApiV2(): JsonObject {
  const root = '#/definitions';
  const definitions = schemas(root, { $ref: `${root}/${meta}` });
  return { swagger: '2.0', info, paths: pathsOf(root, (schema) => ({ schema })), definitions };
}

/** Of the group. */
export function openApiV3(): JsonObject {
  const root = '#/components/schemas';
  const metadata = { allOf: [{ $ref: `${root}/${meta}` }], default: {} };
  const paths = pathsOf(root, (schema) => ({ content: { 'application/json': { schema } } }));
  return { openapi: '3.0.0', info, paths, components: { schemas: schemas(root, metadata) } };
}
