/** Steps from the root of a document to a value: keys, and indexes of lists. */
export type FieldPath = readonly (string | number)[];

/** Longer names in a path are cut. */
const maxStepLength = 253;

/** `spec.items[0]["odd.key"]` */
export function formatPath(path: FieldPath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = step.slice(0, maxStepLength);
    if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}
