import type { FieldPath } from '../base/index.ts';

/** The steps of a field as kube-apiserver writes it: `spec.versions[0].schema.openAPIV3Schema.properties[spec]`. A bracket that is not
 *  closed reaches to the end, so that no part is read twice. */
export function parseField(field: string): FieldPath {
  return Array.from(field.matchAll(/\[("?)([^\]]*?)\1(?:\]|$)|([^.[\]]+)/g), ([, quote, bracketed, plain]) => {
    return quote === '' && /^\d{1,9}$/.test(bracketed ?? '') ? Number(bracketed) : (bracketed ?? plain ?? '');
  });
}
