import type { JsonValue } from '../../../src/base/index.ts';
import { type Exchange, mediaType, parseAccept, type Reply } from '../../http/index.ts';
import { type About, digestOf } from '../edition.ts';
import { documentV2 } from './document-v2.ts';
import { documentV3 } from './document-v3.ts';
import { type ApiDocument, apiDocuments } from './documents.ts';
import { encodeGnostic } from './gnostic.ts';
import { mergeDocumentV2 } from './merged-v2.ts';

const protobufV2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** As clients ask for it; an answer may not be called so. */
const protobufV2Asked = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const oneYearMs = 365 * 86_400_000;

function documentsOf({ edition }: About): ReadonlyMap<string, ApiDocument> {
  return edition.once('openapi documents', () => new Map(apiDocuments(edition.groups).map((one) => [one.key, one])));
}

function documentText(about: About, document: ApiDocument): string {
  const { key, foreign, types } = document;
  const make = (): JsonValue => foreign ?? documentV3(document.paths(), types, about.kubernetesVersion);
  return about.edition.text(`openapi/v3/${key}`, make);
}

/** Built-in documents never change while the server lives: their hash needs no document. */
function hashOf(about: About, document: ApiDocument): string {
  const isCustom = document.foreign !== undefined || document.types.some((type) => type.isCustom);
  return about.edition.once(`hash of openapi/v3/${document.key}`, () =>
    digestOf(isCustom ? documentText(about, document) : `${about.kubernetesVersion} ${document.key}`),
  );
}

/** What answers a file of the server's own would have. */
function fileHeaders(about: About): Record<string, string> {
  return { 'accept-ranges': 'bytes', 'last-modified': new Date(about.edition.sinceMs).toUTCString() };
}

function answerIndex(about: About): Reply {
  const body = about.edition.text('openapi/v3', () => {
    const entries = [...documentsOf(about).values()].map((document): [string, JsonValue] => {
      const url = `/openapi/v3/${document.key}?hash=${hashOf(about, document)}`;
      return [document.key, { serverRelativeURL: url }];
    });
    return { paths: Object.fromEntries(entries) };
  });
  return { code: 200, contentType: 'text/plain; charset=utf-8', body, headers: fileHeaders(about) };
}

/** The first media type of `offered` that the client takes. */
function acceptedType(exchange: Exchange, offered: readonly string[]): string | undefined {
  const accept = exchange.header('accept');
  const clauses = parseAccept(accept === undefined || accept === '' ? '*/*' : accept);
  for (const { type } of clauses) {
    if (type === '*/*' || type === 'application/*') return offered[0];
    if (offered.includes(type)) return type;
  }
  return undefined;
}

/** The document of a group and version; under the right hash it may be kept for ever. */
function answerDocument(about: About, document: ApiDocument): Reply {
  const vary = { vary: 'Accept' };
  if (acceptedType(about.exchange, ['application/json']) === undefined) return { code: 406, headers: vary };
  const hash = hashOf(about, document);
  const asked = about.exchange.query.get('hash') ?? '';
  const etag = `"${hash}"`;
  if (asked !== '' && asked !== hash) {
    const location = `/openapi/v3/${document.key}?hash=${hash}`;
    return { code: 301, contentType: 'application/json', headers: { ...vary, etag, location } };
  }
  const expires = new Date(Date.now() + oneYearMs).toUTCString().replace('GMT', 'UTC');
  const headers = { ...vary, etag, ...(asked === '' ? {} : { 'cache-control': 'public, immutable', expires }) };
  if (about.exchange.header('if-none-match') === etag) return { code: 304, headers };
  const body = documentText(about, document);
  return { code: 200, contentType: 'application/json', body, headers: { ...headers, ...fileHeaders(about) } };
}

/** `/openapi/v3` and what is below it. */
export function answerOpenApiV3(about: About, parts: readonly string[]): Reply {
  if (parts.length === 0) return answerIndex(about);
  const document = documentsOf(about).get(parts.join('/'));
  return document === undefined ? { code: 404 } : answerDocument(about, document);
}

function textV2(about: About): string {
  return about.edition.text('openapi/v2', () => {
    const documents = [...documentsOf(about).values()];
    const paths = documents.flatMap((document) => document.paths()).sort((a, b) => (a.path < b.path ? -1 : 1));
    const types = documents.flatMap((document) => document.types);
    const extended = about.edition.groups.flatMap(({ versions }) => versions);
    return extended.reduce(
      (document, { group, version, extension }) => {
        const foreign = extension?.openApiV2;
        return foreign === undefined ? document : mergeDocumentV2(document, foreign, { group, version });
      },
      documentV2(paths, types, about.kubernetesVersion),
    );
  });
}

/** `/openapi/v2`, in JSON or in the protobuf that older kubectl insist on. */
export function answerOpenApiV2(about: About): Reply {
  const { exchange, edition } = about;
  const type = acceptedType(exchange, ['application/json', protobufV2, protobufV2Asked]);
  const vary = { vary: 'Accept' };
  if (type === undefined) return { code: 406, headers: vary };
  const text = textV2(about);
  const etag = edition.once('hash of openapi/v2', () => `"${digestOf(text)}"`);
  if (exchange.header('if-none-match') === etag) return { code: 304, headers: { ...vary, etag } };
  const headers = { ...vary, etag, ...fileHeaders(about) };
  if (mediaType(type) === 'application/json') return { code: 200, contentType: type, body: text, headers };
  const body = edition.once('openapi/v2 protobuf', () => encodeGnostic(text));
  return { code: 200, contentType: protobufV2, body, headers };
}
