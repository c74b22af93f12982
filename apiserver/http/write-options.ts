import type { JsonObject } from '../../src/base/index.ts';
import type { FieldError } from '../../src/schema/index.ts';
import { managerErrors } from '../core/index.ts';
import type { WriteContext } from '../registry/index.ts';
import { checkAccess } from './access.ts';
import type { ResourceCall } from './api-parts.ts';
import type { FieldValidation } from './decode-body.ts';
import { invalidOptions } from './list-options.ts';
import { parameter } from './query-values.ts';

const maxManagerBytes = 128;

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/** Errors of the values of `dryRun`. */
export function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === 'All')) return [];
  const list = values.map((value) => JSON.stringify(value)).join(', ');
  const message = `Unsupported value: []string{${list}}: supported values: "All"`;
  return [{ field: 'dryRun', reason: 'FieldValueNotSupported', message }];
}

function validationErrors(value: string): FieldError[] {
  if (['', 'Ignore', 'Strict', 'Warn'].includes(value)) return [];
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: "", "Ignore", "Strict", "Warn"`;
  return [{ field: 'fieldValidation', reason: 'FieldValueNotSupported', message }];
}

/** The name under which a write without `fieldManager` is recorded. */
export function managerOfUserAgent(userAgent: string | undefined): string {
  const name =
    Buffer.from(userAgent ?? '', 'latin1')
      .toString('utf8')
      .split('/', 1)[0]
      ?.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '') ?? '';
  return name === '' ? 'unknown' : name.slice(0, maxManagerBytes);
}

/** Reads the options of a write from the query; errors found already come first.
 *  @throws StatusError 422 */
export function readWriteOptions(
  call: ResourceCall,
  kind: OptionsKind,
  firstErrors: readonly FieldError[] = [],
): { readonly context: WriteContext; readonly validation: FieldValidation; readonly manager: string } {
  const { exchange, user, signal } = call;
  const { query } = exchange;
  const dryRun = query.getAll('dryRun');
  const manager = parameter(query, 'fieldManager');
  const validation = parameter(query, 'fieldValidation');
  const errors = [
    ...firstErrors,
    ...managerErrors(manager, 'fieldManager'),
    ...dryRunErrors(dryRun),
    ...validationErrors(validation),
  ];
  if (errors.length > 0) throw invalidOptions(kind, errors);
  const options: JsonObject = { kind, apiVersion: 'meta.k8s.io/v1' };
  if (dryRun.length > 0) options['dryRun'] = dryRun;
  if (manager !== '') options['fieldManager'] = manager;
  if (validation !== '') options['fieldValidation'] = validation;
  if (kind === 'PatchOptions' && query.has('force')) options['force'] = query.get('force') !== 'false';
  const context: WriteContext = {
    user,
    manager: manager === '' ? managerOfUserAgent(exchange.header('user-agent')) : manager,
    dryRun: dryRun.length > 0,
    options,
    warn: (text) => exchange.warn(text),
    signal,
    takeTurn: () => exchange.nextTurn(),
    mayCreate: () => checkAccess(call.parts.authorizer, user, { ...call.request, verb: 'create' }),
  };
  return { context, validation: validation === '' ? 'Warn' : (validation as FieldValidation), manager };
}
