// Generated from scripts/olm-crds/operatorgroups.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** The namespaces that the operators of its namespace watch. */
export interface OperatorGroup {
  readonly apiVersion: 'operators.coreos.com/v1';
  readonly kind: 'OperatorGroup';
  readonly metadata: ObjectMeta;
  /** The target namespaces. Without any the operators watch all namespaces. */
  readonly spec?: OperatorGroupSpec;
  /** What the spec selects. */
  readonly status?: OperatorGroupStatus;
}

/** The target namespaces. Without any the operators watch all namespaces. */
export interface OperatorGroupSpec {
  /** Labels of the target namespaces. Ignored if targetNamespaces is set. */
  readonly selector?: JsonObject;
  /** ServiceAccount whose permissions limit what is installed in this namespace. */
  readonly serviceAccountName?: string;
  /** Whether the annotation olm.providedAPIs is left as the user set it. */
  readonly staticProvidedAPIs?: boolean;
  /** Names of the target namespaces. */
  readonly targetNamespaces?: readonly string[];
  /** Whether a failed ClusterServiceVersion may be replaced by a newer one. */
  readonly upgradeStrategy?: 'Default' | 'TechPreviewUnsafeFailForward';
}

/** What the spec selects. */
export interface OperatorGroupStatus {
  /** State of the group. */
  readonly conditions?: readonly Condition[];
  /** When the status was last written. */
  readonly lastUpdated: string;
  /** The target namespaces. An empty name stands for all. */
  readonly namespaces?: readonly string[];
  /** The ServiceAccount of the spec. */
  readonly serviceAccountRef?: ObjectReference;
}

/** One aspect of the state of the object. */
export interface Condition {
  /** When the status of the condition last changed. */
  readonly lastTransitionTime: string;
  /** Details for people; may be empty. */
  readonly message: string;
  /** Generation of the object that the condition was set for. */
  readonly observedGeneration?: number;
  /** Why the condition has this status, in CamelCase. */
  readonly reason: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** Type of the condition, in CamelCase. */
  readonly type: string;
}

/** The ServiceAccount of the spec. */
export interface ObjectReference {
  /** API version of the object. */
  readonly apiVersion?: string;
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

/** What `parseOperatorGroup` checks. */
export const operatorGroupShape: Schema = {
  "type": "object",
  "required": [
    "metadata"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "properties": {
        "selector": {
          "type": "object"
        },
        "serviceAccountName": {
          "type": "string"
        },
        "staticProvidedAPIs": {
          "type": "boolean"
        },
        "targetNamespaces": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "upgradeStrategy": {
          "type": "string",
          "enum": [
            "Default",
            "TechPreviewUnsafeFailForward"
          ]
        }
      }
    },
    "status": {
      "type": "object",
      "required": [
        "lastUpdated"
      ],
      "properties": {
        "conditions": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "lastTransitionTime",
              "message",
              "reason",
              "status",
              "type"
            ],
            "properties": {
              "lastTransitionTime": {
                "type": "string"
              },
              "message": {
                "type": "string"
              },
              "observedGeneration": {
                "type": "integer"
              },
              "reason": {
                "type": "string"
              },
              "status": {
                "type": "string",
                "enum": [
                  "True",
                  "False",
                  "Unknown"
                ]
              },
              "type": {
                "type": "string"
              }
            }
          }
        },
        "lastUpdated": {
          "type": "string"
        },
        "namespaces": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "serviceAccountRef": {
          "type": "object",
          "properties": {
            "apiVersion": {
              "type": "string"
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
};
