import type { JsonValue } from '../../src/base/index.ts';
import type { Exchange, Reply } from '../http/exchange.ts';
import { mediaType, parseAccept } from '../http/negotiation.ts';
import { StatusError } from '../http/status-error.ts';
import { groupVersionOf } from '../registry/type-registry.ts';
import { type About, digestOf, withTag } from './edition.ts';
import type { GroupVersion } from './groups.ts';
import { openApiDocument } from './openapi.ts';

const openApiV2Protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** An OpenAPI v2 document in protobuf that says `swagger: "2.0"` and nothing else: older kubectl insist on it, then use v3. */
const emptyOpenApiV2 = Buffer.from([0x0a, 0x03, 0x32, 0x2e, 0x30]);
const oneYearMs = 365 * 86_400_000;

function documentText(about: About, version: GroupVersion): string {
  const key = `openapi ${groupVersionOf(version)}`;
  return about.edition.text(key, () => openApiDocument(version, about.kubernetesVersion));
}

function openApiPath(version: GroupVersion): string {
  return version.group === '' ? `api/${version.version}` : `apis/${version.group}/${version.version}`;
}

/** Built-in documents never change while the server lives: their hash needs no document. */
function openApiHash(about: About, version: GroupVersion): string {
  const isBuiltin = version.types.every((type) => !type.isCustom);
  return digestOf(isBuiltin ? `${about.kubernetesVersion} ${openApiPath(version)}` : documentText(about, version));
}

function openApiIndex(about: About): Reply {
  const text = about.edition.text('openapi', () => {
    const versions = about.edition.groups.flatMap((group) => group.versions);
    const entries = versions.map((version) => {
      const path = openApiPath(version);
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${openApiHash(about, version)}` }];
    });
    return { paths: Object.fromEntries(entries) as Record<string, JsonValue> };
  });
  return withTag(about.exchange, text, { contentType: 'application/json' });
}

function acceptsJson(exchange: Exchange): boolean {
  const accept = exchange.header('accept');
  if (accept === undefined || accept === '') return true;
  return parseAccept(accept).some(({ type }) => ['application/json', 'application/*', '*/*'].includes(type));
}

/** The version that `api/V` or `apis/G/V` names. */
function versionAt({ edition }: About, parts: readonly string[]): GroupVersion | undefined {
  const [root, first = '', second = ''] = parts;
  if (root === 'api' && parts.length === 2) return edition.version('', first);
  return root === 'apis' && parts.length === 3 ? edition.version(first, second) : undefined;
}

/** The document of a group and version; under the right hash it may be kept for ever. */
function answerDocument(about: About, version: GroupVersion): Reply {
  if (!acceptsJson(about.exchange)) {
    const message = 'only the following media types are accepted: application/json';
    throw new StatusError({ code: 406, reason: 'NotAcceptable', message });
  }
  const hash = openApiHash(about, version);
  const asked = about.exchange.query.get('hash');
  if (asked !== null && asked !== hash) {
    return { code: 301, headers: { location: `/openapi/v3/${openApiPath(version)}?hash=${hash}` } };
  }
  const expires = new Date(Date.now() + oneYearMs).toUTCString();
  const forever = { 'cache-control': 'public, immutable', expires };
  const headers = { etag: `"${hash}"`, vary: 'Accept', ...(asked === null ? {} : forever) };
  if (about.exchange.header('if-none-match') === headers.etag) return { code: 304, headers };
  return { code: 200, contentType: 'application/json', body: documentText(about, version), headers };
}

/** `/openapi/v3` and what is below it; undefined for a group and version that is not served. */
export function answerOpenApiV3(about: About, parts: readonly string[]): Reply | undefined {
  if (parts.length === 0) return openApiIndex(about);
  const version = versionAt(about, parts);
  return version === undefined ? undefined : answerDocument(about, version);
}

/** `/openapi/v2`: an empty document, which is all that older clients need beside version 3. */
export function answerOpenApiV2({ exchange, kubernetesVersion }: About): Reply {
  const wantsProtobuf = /proto-openapi\.spec\.v2/.test(mediaType(exchange.header('accept')));
  if (wantsProtobuf) {
    return { code: 200, contentType: openApiV2Protobuf, body: emptyOpenApiV2, headers: { vary: 'Accept' } };
  }
  const document = {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: kubernetesVersion },
    paths: {},
    definitions: {},
  };
  return withTag(exchange, `${JSON.stringify(document)}\n`, { contentType: 'application/json' });
}
