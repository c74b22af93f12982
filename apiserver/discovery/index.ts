/** Discovery: `/api`, `/apis` in both forms, OpenAPI v3 and v2. Main export: `createDiscovery`.
 *  Reads the resource types that are served, and what it is given of other servers.
 *  @imports apiserver/http, apiserver/schema, apiserver/core, src/schema, src/base
 *  @packages @bufbuild/protobuf */
import type { JsonObject } from '../../src/base/index.ts';
import { groupVersionOf, type TypeRegistry } from '../core/index.ts';
import {
  aggregatedKind,
  type Exchange,
  encodeValue,
  healthPaths,
  jsonReply,
  negotiateOutput,
  negotiateRoot,
  type Reply,
  type Syntax,
  wantsPretty,
  wholeBody,
} from '../http/index.ts';
import {
  aggregatedDocument,
  apiVersionsDocument,
  groupDocument,
  groupListDocument,
  resourceListDocument,
} from './documents.ts';
import { type About, Edition, withTag } from './edition.ts';
import { noServedVersions, type ServedVersions } from './extensions.ts';
import { type GroupVersion, groupTypes } from './groups.ts';
import { answerOpenApiV2, answerOpenApiV3 } from './openapi/answers.ts';

export type { ExtensionVersion, ServedVersion, ServedVersions } from './extensions.ts';

/** Answers the discovery and OpenAPI paths; undefined for any other path. */
export type Discovery = (exchange: Exchange, path: string) => Promise<Reply | undefined> | Reply | undefined;

function answerRoot({ exchange, edition }: About, isCore: boolean): Reply {
  const form = negotiateRoot(exchange.header('accept'), isCore);
  const groups = edition.groups.filter(({ name }) => (name === '') === isCore);
  if (form.isAggregated) {
    const document = (): JsonObject => aggregatedDocument(groups, 'v2');
    const { body, contentType } = edition.once(`aggregated ${isCore} ${form.syntax}`, () =>
      encodeDocument(document(), form),
    );
    return withTag(exchange, body, { contentType: `${contentType};g=apidiscovery.k8s.io;v=v2;as=${aggregatedKind}` });
  }
  const address = exchange.header('host') ?? exchange.header(':authority') ?? '';
  return answerPlain(exchange, isCore ? apiVersionsDocument(address) : groupListDocument(groups), form.syntax);
}

function encodeDocument(
  document: JsonObject,
  { syntax }: { readonly syntax: Syntax },
): { body: Buffer; contentType: string } {
  const { body, contentType = '' } = encodeValue(200, document, { syntax, isPretty: false });
  return { body: wholeBody(body), contentType };
}

function answerPlain(exchange: Exchange, document: JsonObject, syntax: Syntax): Reply {
  const isPretty = wantsPretty(exchange.query, exchange.header('user-agent'));
  return encodeValue(200, document, { syntax, isPretty });
}

/** A version of another server is answered there. */
function isServedHere(version: GroupVersion | undefined): boolean {
  return version !== undefined && version.types.length > 0;
}

function answerGroup({ exchange, edition }: About, parts: readonly string[]): Reply | undefined {
  const [name = '', version, ...rest] = parts;
  const group = edition.groups.find((one) => one.name === name);
  if (group === undefined || rest.length > 0) return undefined;
  const found = version === undefined ? undefined : edition.version(name, version);
  if (version !== undefined && !isServedHere(found)) return undefined;
  // Groups are answered past the router that the versions of built-in groups go through.
  const isRouted = name === '' || found?.types.some((type) => !type.isCustom) === true;
  const { syntax } = negotiateOutput(exchange.header('accept'), { isList: false, isPretty: false, isRouted });
  return answerPlain(exchange, found === undefined ? groupDocument(group) : resourceListDocument(found), syntax);
}

function answerIndex({ edition }: About): Reply {
  const groups = edition.groups.filter(({ name }) => name !== '');
  const apis = groups.flatMap(({ name, versions }) => [
    `/apis/${name}`,
    ...versions.map((one) => `/apis/${groupVersionOf(one)}`),
  ]);
  const fixed = [
    '/.well-known/openid-configuration',
    '/openid/v1/jwks',
    '/api',
    '/api/v1',
    '/apis',
    '/apis/',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/',
    '/version',
  ];
  return jsonReply(200, { paths: [...fixed, ...apis, ...healthPaths].sort() }, true);
}

const roots: Readonly<Record<string, (about: About, rest: readonly string[]) => Reply | undefined>> = {
  api: (about, rest) => (rest.length === 0 ? answerRoot(about, true) : answerGroup(about, ['', ...rest])),
  apis: (about, rest) => (rest.length === 0 ? answerRoot(about, false) : answerGroup(about, rest)),
};

async function answerOpenApi(about: About, [kind, ...rest]: readonly string[]): Promise<Reply | undefined> {
  if (kind === 'v3' && rest.length === 0 && about.exchange.path.endsWith('/')) return { code: 404 };
  if (kind === 'v3') return await answerOpenApiV3(about, rest);
  return kind === 'v2' && rest.length === 0 ? await answerOpenApiV2(about) : undefined;
}

/** Calls one after another: each begins when the one before has ended. */
class OneByOne {
  #last: Promise<unknown> = Promise.resolve();

  async run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {}); // who waits for it hears of it
    return await done;
  }
}

/** Answers from the types that `types` serves, and the APIServices, at the moment of the request. */
export function createDiscovery(
  types: TypeRegistry,
  kubernetesVersion: string,
  served: ServedVersions = noServedVersions,
): Discovery {
  let edition = new Edition(-1, []);
  const current = (): Edition => {
    const number = types.edition + served.edition;
    if (edition.number !== number) edition = new Edition(number, groupTypes(types.all(), served.all()));
    return edition;
  };
  // Documents take long to make: those who wait get the newest, not one each for every change.
  const openApi = new OneByOne();
  return (exchange, path) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return undefined;
    const [root, ...rest] = path.split('/').filter((part) => part !== '');
    const about = (): About => ({ exchange, edition: current(), kubernetesVersion });
    if (root === undefined) return answerIndex(about());
    if (root === 'openapi') return openApi.run(() => answerOpenApi(about(), rest));
    return Object.hasOwn(roots, root) ? roots[root]?.(about(), rest) : undefined;
  };
}
