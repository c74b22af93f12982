// Generated from scripts/olm-crds/operatorconditions.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** What an operator reports to OLM. */
export interface OperatorCondition {
  readonly apiVersion: 'operators.coreos.com/v2';
  readonly kind: 'OperatorCondition';
  readonly metadata: ObjectMeta;
  /** Who reports and what, and what an administrator overrides. */
  readonly spec?: OperatorConditionSpec;
  /** The conditions that OLM has read. */
  readonly status?: OperatorConditionStatus;
}

/** Who reports and what, and what an administrator overrides. */
export interface OperatorConditionSpec {
  /** Conditions of the operator, such as Upgradeable. */
  readonly conditions?: readonly Condition[];
  /** Names of the Deployments of the operator. */
  readonly deployments?: readonly string[];
  /** Conditions that win over those of the operator. */
  readonly overrides?: readonly Condition[];
  /** Names of the ServiceAccounts that may write the conditions. */
  readonly serviceAccounts?: readonly string[];
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

/** The conditions that OLM has read. */
export interface OperatorConditionStatus {
  /** Conditions of the operator with the generation that they were read from. */
  readonly conditions?: readonly Condition[];
}

/** What `parseOperatorCondition` checks. */
export const operatorConditionShape: Schema = {
  "type": "object",
  "required": [
    "metadata"
  ],
  "properties": {
    "spec": {
      "type": "object",
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
        "deployments": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "overrides": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
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
        "serviceAccounts": {
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      }
    },
    "status": {
      "type": "object",
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
        }
      }
    }
  }
};
