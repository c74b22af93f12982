/** What the server tells about itself: `/api`, `/apis` in both forms, OpenAPI v3 and v2. Main export: `createDiscovery`.
 *  Reads the resource types that are served and nothing else. */
import { type Exchange, jsonReply, type Reply } from '../http/exchange.ts';
import { parseAccept } from '../http/negotiation.ts';
import { groupVersionOf, type TypeRegistry } from '../registry/type-registry.ts';
import {
  aggregatedDocument,
  apiVersionsDocument,
  groupDocument,
  groupListDocument,
  resourceListDocument,
} from './documents.ts';
import { type About, Edition, withTag } from './edition.ts';
import { groupTypes } from './groups.ts';
import { answerOpenApiV2, answerOpenApiV3 } from './openapi-answers.ts';

const aggregatedKind = 'APIGroupDiscoveryList';

/** The version of aggregated discovery that the client asks for first, of those that there are. */
function aggregatedVersion(accept: string | undefined): string | undefined {
  for (const clause of parseAccept(accept ?? '')) {
    const version = clause.parameters.get('v') ?? '';
    const isOurs =
      clause.parameters.get('g') === 'apidiscovery.k8s.io' && clause.parameters.get('as') === aggregatedKind;
    if (isOurs && (version === 'v2' || version === 'v2beta1')) return version;
    if (!isOurs && clause.type === 'application/json') return undefined;
  }
  return undefined;
}

/** Answers the discovery and OpenAPI paths; undefined for any other path. */
export type Discovery = (exchange: Exchange, path: string) => Reply | undefined;

function answerRoot({ exchange, edition }: About, isCore: boolean): Reply {
  const version = aggregatedVersion(exchange.header('accept'));
  const groups = edition.groups.filter(({ name }) => (name === '') === isCore);
  if (version === undefined) {
    const address = exchange.header('host') ?? exchange.header(':authority') ?? '';
    return jsonReply(200, isCore ? apiVersionsDocument(address) : groupListDocument(groups));
  }
  const text = edition.text(`aggregated ${isCore} ${version}`, () => aggregatedDocument(groups, version));
  return withTag(exchange, text, {
    contentType: `application/json;g=apidiscovery.k8s.io;v=${version};as=${aggregatedKind}`,
  });
}

function answerGroup({ edition }: About, parts: readonly string[]): Reply | undefined {
  const [name = '', version] = parts;
  const group = edition.groups.find((one) => one.name === name);
  if (group === undefined) return undefined;
  if (version === undefined) return jsonReply(200, groupDocument(group));
  const found = edition.version(name, version);
  return found === undefined ? undefined : jsonReply(200, resourceListDocument(found));
}

function answerIndex({ edition }: About): Reply {
  const groups = edition.groups.filter(({ name }) => name !== '');
  const apis = groups.flatMap(({ name, versions }) => [
    `/apis/${name}`,
    ...versions.map((one) => `/apis/${groupVersionOf(one)}`),
  ]);
  const paths = [
    '/api',
    '/api/v1',
    '/apis',
    ...apis.sort(),
    '/healthz',
    '/livez',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
  ];
  return jsonReply(200, { paths });
}

const roots: Readonly<Record<string, (about: About, rest: readonly string[]) => Reply | undefined>> = {
  api: (about, rest) => (rest.length === 0 ? answerRoot(about, true) : answerGroup(about, ['', ...rest])),
  apis: (about, rest) => (rest.length === 0 ? answerRoot(about, false) : answerGroup(about, rest)),
  openapi: (about, [kind, ...rest]) => {
    if (kind === 'v3') return answerOpenApiV3(about, rest);
    return kind === 'v2' && rest.length === 0 ? answerOpenApiV2(about) : undefined;
  },
};

/** Answers from the types that `types` serves at the moment of the request. */
export function createDiscovery(types: TypeRegistry, kubernetesVersion: string): Discovery {
  let edition = new Edition(-1, []);
  return (exchange, path) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return undefined;
    if (edition.number !== types.edition) edition = new Edition(types.edition, groupTypes(types.all()));
    const about = { exchange, edition, kubernetesVersion };
    const [root, ...rest] = path.split('/').filter((part) => part !== '');
    if (root === undefined) return answerIndex(about);
    return Object.hasOwn(roots, root) ? roots[root]?.(about, rest) : undefined;
  };
}
