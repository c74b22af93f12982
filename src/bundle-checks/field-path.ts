import type { FieldPath } from '../base/index.ts';

/** `spec.items[0]["odd.key"]` */
export function formatPath(path: FieldPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!/^[A-Za-z_$][\w$-]*$/.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
/** The steps of a field as kube-apiserver writes it: `spec.versions[0].schema.openAPIV3Schema.properties[spec]`. Indexes stay texts. */
export function parseField(field: string): FieldPath {
  return Array.from(field.matchAll(/\[("?)([^\]]*?)\1\]|([^.[\]]+)/g), ([, , bracketed, plain]) => {
    return bracketed ?? plain ?? '';
  });
}
