// Generated from scripts/olm-crds/operators.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** The objects that belong to an installed operator. */
export interface Operator {
  readonly apiVersion: 'operators.coreos.com/v1';
  readonly kind: 'Operator';
  readonly metadata: ObjectMeta;
  /** Has no fields. */
  readonly spec?: Readonly<Record<string, never>>;
  /** What was found. */
  readonly status?: OperatorStatus;
}

/** What was found. */
export interface OperatorStatus {
  /** The objects of the operator. */
  readonly components?: OperatorStatusComponents;
}

/** The objects of the operator. */
export interface OperatorStatusComponents {
  /** Label of the objects. */
  readonly labelSelector: JsonObject;
  /** The objects that have the label. */
  readonly refs?: readonly ObjectReference[];
}

/** An object and its conditions. */
export interface ObjectReference {
  /** API version of the object. */
  readonly apiVersion?: string;
  /** Conditions of the object. */
  readonly conditions?: readonly ObjectReferenceCondition[];
  /** Part of the object that is meant. */
  readonly fieldPath?: string;
  /** Kind of the object. */
  readonly kind?: string;
  /** Name of the object. */
  readonly name?: string;
  /** Namespace of the object. */
  readonly namespace?: string;
  /** Version of the object that is meant. */
  readonly resourceVersion?: string;
  /** UID of the object. */
  readonly uid?: string;
}

/** A condition of the object. */
export interface ObjectReferenceCondition {
  /** When the status last changed. */
  readonly lastTransitionTime?: string;
  /** When the condition was last set. */
  readonly lastUpdateTime?: string;
  /** Details for people. */
  readonly message?: string;
  /** Why the condition has this status, in CamelCase. */
  readonly reason?: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** Type of the condition. */
  readonly type: string;
}

/** What `parseOperator` checks. */
export const operatorShape: Schema = {
  "type": "object",
  "properties": {
    "spec": {
      "type": "object"
    },
    "status": {
      "type": "object",
      "properties": {
        "components": {
          "type": "object",
          "required": [
            "labelSelector"
          ],
          "properties": {
            "labelSelector": {
              "type": "object"
            },
            "refs": {
              "type": "array",
              "items": {
                "type": "object",
                "properties": {
                  "apiVersion": {
                    "type": "string"
                  },
                  "conditions": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "status",
                        "type"
                      ],
                      "properties": {
                        "lastTransitionTime": {
                          "type": "string"
                        },
                        "lastUpdateTime": {
                          "type": "string"
                        },
                        "message": {
                          "type": "string"
                        },
                        "reason": {
                          "type": "string"
                        },
                        "status": {
                          "type": "string"
                        },
                        "type": {
                          "type": "string"
                        }
                      }
                    }
                  },
                  "fieldPath": {
                    "type": "string"
                  },
                  "kind": {
                    "type": "string"
                  },
                  "name": {
                    "type": "string"
                  },
                  "namespace": {
                    "type": "string"
                  },
                  "resourceVersion": {
                    "type": "string"
                  },
                  "uid": {
                    "type": "string"
                  }
                }
              }
            }
          }
        }
      }
    }
  }
};
