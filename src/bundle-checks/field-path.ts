import type { FieldPath } from '../base/index.ts';

/** The steps of a field as kube-apiserver writes it: `spec.versions[0].schema.openAPIV3Schema.properties[spec]`. Indexes stay texts. */
export function parseField(field: string): FieldPath {
  return Array.from(field.matchAll(/\[("?)([^\]]*?)\1\]|([^.[\]]+)/g), ([, , bracketed, plain]) => {
    return bracketed ?? plain ?? '';
  });
}
