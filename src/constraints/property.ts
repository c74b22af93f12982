import type { JsonValue } from '../base/index.ts';

/** What a bundle declares about itself: `olm.package`, `olm.gvk`, or anything else. */
export interface Property {
  readonly type: string;
  readonly value: JsonValue;
}

/** A kind of an API. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
