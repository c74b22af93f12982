/** Patches: JSON patch (RFC 6902), merge patch (RFC 7396) and strategic merge patch, as pure functions over JSON.
 *  Never validates the result against a schema, never changes what it is given.
 *  @imports apiserver/core, src/schema, src/base */
export { applyJsonPatch } from './json-patch.ts';
export { applyMergePatch } from './merge-patch.ts';
export { formatGoValue } from './strategic-errors.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch.ts';
