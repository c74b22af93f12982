import type { KubeObject } from '../../core/index.ts';
import { loadBuiltinSchemas } from '../../schema/index.ts';
import type { ResourceCall } from '../api-parts.ts';
import { decodeObject, type FieldValidation } from '../decode-body.ts';
import { negotiateInput } from '../negotiation.ts';

/** The body of a POST to a subresource, of a built-in kind that is none of a resource's own.
 *  @throws StatusError 400, 413, 415 */
export async function readPosted(
  call: ResourceCall,
  of: { readonly group: string; readonly version: string; readonly kind: string },
  validation: FieldValidation,
): Promise<KubeObject> {
  const { exchange } = call;
  const syntax = negotiateInput(exchange.header('content-type'));
  const bytes = await exchange.readBody();
  const schema = loadBuiltinSchemas().kind(of.group, of.version, of.kind);
  const warn = (text: string): void => exchange.warn(text);
  return decodeObject(bytes, { ...call.type, ...of, isCustom: false, schema }, { syntax, validation, warn });
}
