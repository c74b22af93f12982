/** What the real OLM writes is letters and digits alone. */
const mark = 'longshore-';

/** The value of a label that holds a hash of ours: the real OLM calculates others for the same content. */
export function ownHash(hash: string): string {
  return `${mark}${hash}`;
}

/** Whether another implementation, or an earlier version, has written the value: it does not show whether the content is as desired. */
export function isForeignHash(value: string | undefined): boolean {
  return value !== undefined && !value.startsWith(mark);
}
