import type { JsonObject, JsonValue } from '../base/index.ts';

/** One node of an OpenAPI v3 schema as Kubernetes extends it. The schemas of built-in kinds and of CRD versions have this one form.
 *  `$ref`s of built-in schemas are already replaced by the node they name, so the graph may be cyclic (JSONSchemaProps):
 *  walk it along a value, never on its own. */
export interface Schema {
  /** Set on nodes that are a named definition (built-ins): `io.k8s.api.core.v1.PodSpec`. */
  readonly definition?: string;
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic';
  /** `merge`, `replace`, `retainKeys`, `merge,retainKeys`: strategic merge patch. */
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  /** Of built-in objects: where below it Go values are never null and documents show their zero: `name,ports[],labels{}`. */
  readonly 'x-zeros'?: string;
  /** Of built-in objects: properties whose documents are a reference and nothing else: `not,items`. */
  readonly 'x-bare'?: string;
  readonly 'x-kubernetes-unions'?: readonly JsonObject[];
  readonly 'x-kubernetes-validations'?: readonly JsonObject[];
}
