// Generated from crds/cluster-version/config.openshift.io_clusteroperators.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** What a component of the cluster reports: whether it works, and which version it has. */
export interface ClusterOperator {
  readonly apiVersion: 'config.openshift.io/v1';
  readonly kind: 'ClusterOperator';
  readonly metadata: ObjectMeta;
  /** Empty: a component is configured elsewhere. */
  readonly spec: Readonly<Record<string, never>>;
  /** Observed state. The operator of the component writes it. */
  readonly status?: ClusterOperatorStatus;
}

/** Observed state. The operator of the component writes it. */
export interface ClusterOperatorStatus {
  /** Conditions, one per type. */
  readonly conditions?: readonly OperatorStatusCondition[];
  /** Versions of the component. The one named operator is that of the whole, and new once all others are. */
  readonly versions?: readonly OperandVersion[];
  /** Objects that the component consists of. */
  readonly relatedObjects?: readonly RelatedObject[];
  /** Further details, whose form the operator decides. */
  readonly extension?: JsonObject | null;
}

/** One condition. */
export interface OperatorStatusCondition {
  /** Available, Progressing, Degraded, Upgradeable or EvaluationConditionsDetected. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** Time of the last change of the status. */
  readonly lastTransitionTime: string;
  /** Reason in CamelCase, for programs. */
  readonly reason?: string;
  /** Message for users. It may have several lines. */
  readonly message?: string;
}

/** One version. */
export interface OperandVersion {
  /** Name of the operand, or operator. */
  readonly name: string;
  /** Version that it has reached. */
  readonly version: string;
}

/** One object. */
export interface RelatedObject {
  /** API group. Empty for the core group. */
  readonly group: string;
  /** Resource, in the plural and in lower case. */
  readonly resource: string;
  /** Namespace of the object. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name: string;
}

/** What `parseClusterOperator` checks. */
export const clusterOperatorShape: Schema = {
  "type": "object",
  "required": [
    "spec"
  ],
  "properties": {
    "spec": {
      "type": "object"
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
              "status",
              "type"
            ],
            "properties": {
              "type": {
                "type": "string"
              },
              "status": {
                "type": "string"
              },
              "lastTransitionTime": {
                "type": "string"
              },
              "reason": {
                "type": "string"
              },
              "message": {
                "type": "string"
              }
            }
          }
        },
        "versions": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "name",
              "version"
            ],
            "properties": {
              "name": {
                "type": "string"
              },
              "version": {
                "type": "string"
              }
            }
          }
        },
        "relatedObjects": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "group",
              "name",
              "resource"
            ],
            "properties": {
              "group": {
                "type": "string"
              },
              "resource": {
                "type": "string"
              },
              "namespace": {
                "type": "string"
              },
              "name": {
                "type": "string"
              }
            }
          }
        },
        "extension": {
          "type": "object",
          "nullable": true
        }
      }
    }
  }
};
