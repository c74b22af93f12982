import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import {
  copyJson,
  groupVersionOf,
  invalid,
  type KubeObject,
  type ResourceType,
  type StatusError,
} from '../core/index.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch, formatGoValue } from '../patch/index.ts';
import { decodeProblems, dropUnknownFields, UnreadableObject, unstructuredProblem } from '../schema/index.ts';
import { conversionProblem } from './body-kind.ts';
import type { FieldValidation } from './decode-body.ts';
import { type DecodedPatch, decodePatch, type PatchKind } from './patch-document.ts';

/** What a patch is applied with. */
export interface PatchOptions {
  readonly type: ResourceType;
  readonly validation: FieldValidation;
  warn(text: string): void;
}

function applyTo(
  live: JsonObject,
  patch: JsonValue,
  { kind, type }: { kind: PatchKind; type: ResourceType },
): JsonObject {
  switch (kind) {
    case 'json':
      return applyJsonPatch(live, patch);
    case 'merge':
      return applyMergePatch(live, patch);
    case 'strategic':
      return applyStrategicMergePatch(live, patch, type.schema);
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Why the patched document is no object of this built-in kind. */
function kindProblem(patched: JsonObject, type: ResourceType): string | undefined {
  const given = {
    apiVersion: textOf(patched['apiVersion']) || groupVersionOf(type),
    kind: textOf(patched['kind']) || type.kind,
  };
  if (given.apiVersion === groupVersionOf(type) && given.kind === type.kind) return undefined;
  return conversionProblem(given, type);
}

function decodeProblem(patched: JsonObject, kind: PatchKind, type: ResourceType): string | undefined {
  const { schema, isCustom } = type;
  if (schema === undefined || isCustom) return undefined;
  if (kind === 'strategic') return unstructuredProblem(patched, schema);
  return kindProblem(patched, type) ?? decodeProblems(patched, schema, type.kind)[0];
}

/** A patch, decoded once and ready to be applied to the object as it is.
 *  @throws StatusError 400 for a document that is no patch */
export class ObjectPatch {
  readonly #kind: PatchKind;
  readonly #options: PatchOptions;
  readonly #decoded: DecodedPatch;

  constructor(bytes: Buffer, kind: PatchKind, options: PatchOptions) {
    this.#kind = kind;
    this.#options = options;
    this.#decoded = decodePatch(bytes, kind, options.validation !== 'Ignore');
  }

  /** The patched object, without unknown fields; `live` is left as it is.
   *  @throws StatusError 400, 413, 422, 500 */
  apply(live: KubeObject): KubeObject {
    return this.decode(this.merge(live));
  }

  /** The first step of `apply`: the patched document.
   *  @throws StatusError 413, 422, 500 */
  merge(live: KubeObject): JsonObject {
    const { type } = this.#options;
    return copyJson(applyTo(live as unknown as JsonObject, this.#decoded.value, { kind: this.#kind, type }));
  }

  /** The second step: the object that the patched document is; takes it over.
   *  @throws StatusError 400, 422 */
  decode(patched: JsonObject): KubeObject {
    const { type } = this.#options;
    const problem = decodeProblem(patched, this.#kind, type);
    if (problem !== undefined) throw this.#invalid(patched, problem);
    const isNothing = !type.isCustom && this.#kind !== 'strategic' && !isNamed(patched);
    const object = (isNothing ? { metadata: {} } : patched) as unknown as KubeObject;
    const unknown = this.#dropUnknown(object, patched).map((path) => `unknown field ${JSON.stringify(path)}`);
    this.#report(patched, [...this.#decoded.findings, ...unknown.sort()]);
    if (!type.isCustom) Object.assign(object, { apiVersion: groupVersionOf(type), kind: type.kind });
    return object;
  }

  #dropUnknown(object: KubeObject, patched: JsonObject): string[] {
    try {
      return dropUnknownFields(this.#options.type, object);
    } catch (thrown) {
      throw thrown instanceof UnreadableObject ? this.#invalid(patched, thrown.message) : thrown;
    }
  }

  #report(patched: JsonObject, findings: readonly string[]): void {
    const { validation } = this.#options;
    if (findings.length === 0 || validation === 'Ignore') return;
    if (validation === 'Strict') throw this.#invalid(patched, `strict decoding error: ${findings.join(', ')}`);
    for (const finding of findings) this.#options.warn(finding);
  }

  #invalid(patched: JsonObject, problem: string): StatusError {
    const shown = this.#kind === 'strategic' ? formatGoValue(this.#decoded.value) : JSON.stringify(patched);
    const message = `Invalid value: ${JSON.stringify(shown)}: ${problem}`;
    return invalid({ group: '', kind: '' }, '', [{ field: 'patch', reason: 'FieldValueInvalid', message }]);
  }
}

/** An object with neither kind nor version is read as empty. */
function isNamed(patched: JsonObject): boolean {
  return textOf(patched['apiVersion']) !== '' || textOf(patched['kind']) !== '';
}
