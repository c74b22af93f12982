import { isJsonObject, type JsonObject } from '../../src/base/index.ts';
import type { FieldError } from '../../src/schema/index.ts';
import { StatusError } from '../core/index.ts';
import type { DeletionOptions } from '../registry/index.ts';
import { decodeProblems, loadBuiltinSchemas } from '../schema/index.ts';
import { decodeBare } from './decode-body.ts';
import { invalidOptions } from './list-options.ts';
import type { Syntax } from './negotiation.ts';
import { integerParameter } from './query-values.ts';
import { isTrue } from './request-info.ts';
import { dryRunErrors } from './write-options.ts';

const policies = ['Foreground', 'Background', 'Orphan'];

function policyErrors({ propagationPolicy: policy, orphanDependents }: DeletionOptions): FieldError[] {
  if (policy === undefined) return [];
  const field = 'propagationPolicy';
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined) {
    const message = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`;
    errors.push({ field, reason: 'FieldValueInvalid', message });
  }
  if (!policies.includes(policy)) {
    const supported = 'supported values: "Foreground", "Background", "Orphan", "nil"';
    const message = `Unsupported value: ${JSON.stringify(policy)}: ${supported}`;
    errors.push({ field, reason: 'FieldValueNotSupported', message });
  }
  return errors;
}

function failure(message: string): StatusError {
  return new StatusError({ code: 500, message });
}

/** `DeleteOptions` as JSON, with members of the right types.
 *  @throws StatusError 500 with the text of the decoder, as kube-apiserver answers it */
function decodeOptions(bytes: Buffer, syntax: Syntax): JsonObject {
  const body = decodeBare(bytes, 'DeleteOptions', syntax);
  const { kind = 'DeleteOptions', apiVersion = 'v1' } = body;
  if (kind !== 'DeleteOptions') {
    const version = JSON.stringify(apiVersion);
    throw failure(
      `no kind ${JSON.stringify(kind)} is registered for version ${version} in scheme "pkg/runtime/scheme.go:110"`,
    );
  }
  const schema = loadBuiltinSchemas().definition('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');
  const [problem] = decodeProblems(body, schema, 'DeleteOptions');
  if (problem !== undefined) throw failure(problem);
  return body;
}

function optionsOfQuery(query: URLSearchParams): JsonObject {
  const options: JsonObject = {};
  const policy = query.get('propagationPolicy');
  if (policy !== null) options['propagationPolicy'] = policy;
  if (query.has('orphanDependents')) options['orphanDependents'] = isTrue(query.get('orphanDependents'));
  if (query.has('gracePeriodSeconds')) options['gracePeriodSeconds'] = integerParameter(query, 'gracePeriodSeconds');
  if (query.has('dryRun')) options['dryRun'] = query.getAll('dryRun');
  return options;
}

/** What a DELETE was asked to do. */
export interface DeleteRequest {
  readonly options: DeletionOptions;
  readonly dryRun: boolean;
  /** As admission sees them. */
  readonly shown: JsonObject;
}

/** Reads the options of a DELETE from its body or, where that is empty, from the query.
 *  @throws StatusError 400, 422; 500 for bodies that cannot be decoded */
export function readDeleteOptions(bytes: Buffer, syntax: Syntax, query: URLSearchParams): DeleteRequest {
  const body = bytes.length === 0 ? optionsOfQuery(query) : decodeOptions(bytes, syntax);
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions, dryRun } = body;
  const conditions = isJsonObject(preconditions) ? preconditions : {};
  const options: DeletionOptions = {
    propagationPolicy: typeof propagationPolicy === 'string' ? propagationPolicy : undefined,
    orphanDependents: typeof orphanDependents === 'boolean' ? orphanDependents : undefined,
    gracePeriodSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined,
    uid: typeof conditions['uid'] === 'string' ? conditions['uid'] : undefined,
    resourceVersion: typeof conditions['resourceVersion'] === 'string' ? conditions['resourceVersion'] : undefined,
  };
  const texts = Array.isArray(dryRun) ? dryRun.filter((text) => typeof text === 'string') : [];
  const errors = [...policyErrors(options), ...dryRunErrors(texts)];
  if (errors.length > 0) throw invalidOptions('DeleteOptions', errors);
  return {
    options,
    dryRun: texts.length > 0,
    shown: { ...body, kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' },
  };
}
