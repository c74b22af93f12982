import { randomUUID } from 'node:crypto';
import {
  errorMessage,
  isJsonEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOfTexts,
  objectAt,
  textAt,
  valueAt,
} from '../../../src/base/index.ts';
import { annotationErrors, type KubeObject, labelErrors, StatusError } from '../../core/index.ts';

/** Sends a ConversionReview to the webhook of a definition and gives its answer.
 *  @throws Error whose message is shown to the client */
export type CallConversion = (
  webhook: { readonly key: string; readonly clientConfig: JsonObject },
  review: JsonObject,
  signal: AbortSignal,
) => Promise<JsonValue>;

const apiVersion = 'apiextensions.k8s.io/v1';

/** Turns objects of one definition into other versions by asking its webhook. */
export class WebhookConversion {
  readonly #call: CallConversion;
  readonly #key: string;
  readonly #clientConfig: JsonObject;
  readonly #reviewVersions: readonly string[];

  /** `webhook` is `spec.conversion.webhook`. */
  constructor(call: CallConversion, key: string, webhook: JsonObject) {
    this.#call = call;
    this.#key = key;
    this.#clientConfig = objectAt(webhook, 'clientConfig') ?? {};
    this.#reviewVersions = listOfTexts(webhook, 'conversionReviewVersions');
  }

  /** The object in another version.
   *  @throws StatusError 500 */
  async convert(object: KubeObject, apiVersion: string, signal: AbortSignal): Promise<KubeObject> {
    const subject = `conversion webhook for ${object.apiVersion}, Kind=${object.kind}`;
    let converted: readonly JsonValue[];
    try {
      converted = await this.#ask(object, apiVersion, signal);
    } catch (thrown) {
      throw failure(`${subject} failed: ${errorMessage(thrown)}`, thrown);
    }
    if (converted.length !== 1) throw failure(`${subject} returned ${converted.length} objects, expected 1`);
    const [answer = null] = converted;
    const result = checked(object, answer, apiVersion);
    if (typeof result === 'string') throw failure(`${subject} returned ${result}`);
    return result;
  }

  async #ask(object: KubeObject, desiredAPIVersion: string, signal: AbortSignal): Promise<readonly JsonValue[]> {
    const version = this.#reviewVersions.find((name) => name === 'v1' || name === 'v1beta1');
    if (version === undefined) throw new Error('no supported conversion review versions');
    const uid = randomUUID();
    const request = { uid, desiredAPIVersion, objects: [object as unknown as JsonObject] };
    const review = { kind: 'ConversionReview', apiVersion: `apiextensions.k8s.io/${version}`, request };
    const webhook = { key: this.#key, clientConfig: this.#clientConfig };
    const answer = await this.#call(webhook, review, signal);
    const response = isJsonObject(answer) ? objectAt(answer, 'response') : undefined;
    if (version === 'v1') checkReview(answer, response, uid);
    if (response === undefined) throw new Error('no response provided');
    return resultOf(response);
  }
}

function checkReview(answer: JsonValue, response: JsonObject | undefined, uid: string): void {
  const given = isJsonObject(answer) ? answer : {};
  if (textAt(given, 'apiVersion') !== apiVersion || textAt(given, 'kind') !== 'ConversionReview') {
    const [kind, version] = [textAt(given, 'kind'), textAt(given, 'apiVersion')];
    throw new Error(`no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:110"`);
  }
  if (response === undefined) throw new Error('no response provided');
  const found = textAt(response, 'uid');
  if (found !== uid) throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(found)}`);
}

function resultOf(response: JsonObject): readonly JsonValue[] {
  const result = objectAt(response, 'result');
  const status = textAt(result, 'status');
  if (status !== 'Success') {
    throw new Error(textAt(result, 'message') || `response.result.status was '${status}', not 'Success'`);
  }
  const objects = valueAt(response, 'convertedObjects');
  return Array.isArray(objects) ? objects : [];
}

function failure(message: string, cause?: unknown): StatusError {
  return new StatusError({ code: 500, message }, cause === undefined ? undefined : { cause });
}

/** The answer, if it is still the same object: only labels and annotations of its metadata may differ. Otherwise why it is not. */
function checked(original: KubeObject, answer: JsonValue, apiVersion: string): KubeObject | string {
  const converted = isJsonObject(answer) ? answer : {};
  const [version, kind] = [textAt(converted, 'apiVersion'), textAt(converted, 'kind')];
  if (version !== apiVersion) {
    return `invalid object at index 0: invalid groupVersion (expected ${apiVersion}, received ${version})`;
  }
  if (kind !== original.kind) {
    return `invalid object at index 0: invalid kind (expected ${original.kind}, received ${kind})`;
  }
  const metadata = objectAt(converted, 'metadata');
  const identity = identityProblem(original, metadata);
  if (identity !== undefined) return `invalid object: ${identity}`;
  const restored = restoredMetadata(original, metadata);
  if (typeof restored === 'string') return `invalid metadata: ${restored}`;
  return { ...converted, metadata: restored } as unknown as KubeObject;
}

const identities = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function identityProblem(original: KubeObject, answered: JsonObject | undefined): string | undefined {
  for (const [key, name] of identities) {
    const [before, after] = [original.metadata[key] ?? '', textAt(answered, key)];
    if (before !== after) return `must have the same ${name}: ${before} != ${after}`;
  }
  return undefined;
}

/** The metadata of the original with labels and annotations of the answer, or why these cannot be taken. */
function restoredMetadata(original: KubeObject, answered: JsonObject | undefined): JsonObject | string {
  if (answered === undefined) return 'missing metadata in converted object';
  const metadata = structuredClone(original.metadata) as JsonObject;
  for (const field of ['labels', 'annotations'] as const) {
    const value = valueAt(answered, field);
    if (value === undefined || value === null) {
      delete metadata[field];
      continue;
    }
    const problem = isJsonEqual(value, metadata[field] ?? null) ? undefined : mapProblem(field, value);
    if (problem !== undefined) return problem;
    metadata[field] = value;
  }
  return metadata;
}

function mapProblem(field: 'labels' | 'annotations', value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return `invalid metadata.${field} of type ${goTypeOf(value)} in converted object`;
  for (const [key, text] of Object.entries(value)) {
    if (typeof text === 'string') continue;
    return `metadata.${field}[${key}] must be a string, but is ${goTypeOf(text ?? null)} in converted object`;
  }
  const texts = value as Record<string, string>;
  const errors =
    field === 'labels' ? labelErrors(texts, 'metadata.labels') : annotationErrors(texts, 'metadata.annotation');
  if (errors.length === 0) return undefined;
  const shown = errors.map((error) => `${error.field}: ${error.message}`);
  return shown.length === 1 ? shown[0] : `[${shown.join(', ')}]`;
}

function goTypeOf(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
