import type { JsonValue } from '../../../src/base/index.ts';
import type { Steps } from '../../core/index.ts';
import { type Exchange, mediaType, parseAccept, type Reply } from '../../http/index.ts';
import { type About, digestOf } from '../edition.ts';
import { type MadeDocument, madeDocument } from './document-parts.ts';
import { type DocumentV2, documentV2, piecesOfV2 } from './document-v2.ts';
import { documentV3 } from './document-v3.ts';
import { type ApiDocument, apiDocuments } from './documents.ts';
import { encodeGnostic } from './gnostic.ts';

const protobufV2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** As clients ask for it; an answer may not be called so. */
const protobufV2Asked = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const oneYearMs = 365 * 86_400_000;

/** Characters of documents of OpenAPI v3 that are kept; others are made again when they are asked for. */
const keptCharacters = 32 * 1024 * 1024;

function documentsOf({ edition }: About): ReadonlyMap<string, ApiDocument> {
  return edition.once('openapi documents', () => new Map(apiDocuments(edition.groups).map((one) => [one.key, one])));
}

function stepsOf({ kubernetesVersion }: About, document: ApiDocument): Steps<MadeDocument> {
  const { foreign } = document;
  if (foreign === undefined) return documentV3(document, kubernetesVersion);
  return madeDocument(() => [`${JSON.stringify(foreign)}\n`]);
}

async function madeV3(about: About, document: ApiDocument): Promise<MadeDocument> {
  const { edition } = about;
  const kept = edition.once('kept documents', () => ({ made: new Map<string, MadeDocument>(), room: keptCharacters }));
  const known = kept.made.get(document.key);
  if (known !== undefined) return known;
  const made = await edition.work(() => stepsOf(about, document));
  edition.once(hashKey(document), () => made.digest);
  kept.room -= made.characters;
  if (kept.room >= 0) kept.made.set(document.key, made);
  else kept.room += made.characters;
  return made;
}

function hashKey({ key }: ApiDocument): string {
  return `hash of openapi/v3/${key}`;
}

/** Built-in documents never change while the server lives: their hash needs no document. */
async function hashOf(about: About, document: ApiDocument): Promise<string> {
  const isCustom = document.foreign !== undefined || document.types.some((type) => type.isCustom);
  const ofContent = async (): Promise<string> =>
    about.edition.find<string>(hashKey(document)) ?? (await madeV3(about, document)).digest;
  return isCustom ? await ofContent() : digestOf(`${about.kubernetesVersion} ${document.key}`);
}

/** What answers a file of the server's own would have. */
function fileHeaders(about: About): Record<string, string> {
  return { 'accept-ranges': 'bytes', 'last-modified': new Date(about.edition.sinceMs).toUTCString() };
}

async function answerIndex(about: About): Promise<Reply> {
  const entries: [string, JsonValue][] = [];
  for (const document of documentsOf(about).values()) {
    const url = `/openapi/v3/${document.key}?hash=${await hashOf(about, document)}`;
    entries.push([document.key, { serverRelativeURL: url }]);
  }
  const body = about.edition.text('openapi/v3', () => ({ paths: Object.fromEntries(entries) }));
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
async function answerDocument(about: About, document: ApiDocument): Promise<Reply> {
  const vary = { vary: 'Accept' };
  if (acceptedType(about.exchange, ['application/json']) === undefined) return { code: 406, headers: vary };
  const hash = await hashOf(about, document);
  const asked = about.exchange.query.get('hash') ?? '';
  const etag = `"${hash}"`;
  if (asked !== '' && asked !== hash) {
    const location = `/openapi/v3/${document.key}?hash=${hash}`;
    return { code: 301, contentType: 'application/json', headers: { ...vary, etag, location } };
  }
  const expires = new Date(Date.now() + oneYearMs).toUTCString().replace('GMT', 'UTC');
  const headers = { ...vary, etag, ...(asked === '' ? {} : { 'cache-control': 'public, immutable', expires }) };
  if (about.exchange.header('if-none-match') === etag) return { code: 304, headers };
  const body = { pieces: (await madeV3(about, document)).pieces() };
  return { code: 200, contentType: 'application/json', body, headers: { ...headers, ...fileHeaders(about) } };
}

/** `/openapi/v3` and what is below it. */
export async function answerOpenApiV3(about: About, parts: readonly string[]): Promise<Reply> {
  if (parts.length === 0) return await answerIndex(about);
  const document = documentsOf(about).get(parts.join('/'));
  return document === undefined ? { code: 404 } : await answerDocument(about, document);
}

async function partsOfV2(about: About): Promise<DocumentV2> {
  const { edition, kubernetesVersion } = about;
  return await edition.inTurns('parts of openapi/v2', () => {
    const foreign = edition.groups.flatMap(({ versions }) =>
      versions.flatMap(({ group, version, extension }) =>
        extension?.openApiV2 === undefined ? [] : [{ document: extension.openApiV2, group, version }],
      ),
    );
    return documentV2([...documentsOf(about).values()], foreign, kubernetesVersion);
  });
}

/** `/openapi/v2`, in JSON or in the protobuf that older kubectl insist on. */
export async function answerOpenApiV2(about: About): Promise<Reply> {
  const { exchange, edition } = about;
  const type = acceptedType(exchange, ['application/json', protobufV2, protobufV2Asked]);
  const vary = { vary: 'Accept' };
  if (type === undefined) return { code: 406, headers: vary };
  const parts = await partsOfV2(about);
  const json = await edition.inTurns('openapi/v2', () => madeDocument(() => piecesOfV2(parts)));
  const etag = `"${json.digest}"`;
  if (exchange.header('if-none-match') === etag) return { code: 304, headers: { ...vary, etag } };
  const headers = { ...vary, etag, ...fileHeaders(about) };
  if (mediaType(type) === 'application/json') {
    return { code: 200, contentType: type, body: { pieces: json.pieces() }, headers };
  }
  const pieces = await edition.inTurns('openapi/v2 protobuf', () => encodeGnostic(parts));
  return { code: 200, contentType: protobufV2, body: { pieces }, headers };
}
