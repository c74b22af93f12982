// Generated from crds/machines/machine.openshift.io_machinehealthchecks.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** Deletes machines whose nodes are unhealthy, so that their sets replace them. */
export interface MachineHealthCheck {
  readonly apiVersion: 'machine.openshift.io/v1beta1';
  readonly kind: 'MachineHealthCheck';
  readonly metadata: ObjectMeta;
  /** Which machines are checked, and how. */
  readonly spec?: MachineHealthCheckSpec;
  /** Observed state of the check. */
  readonly status?: MachineHealthCheckStatus;
}

/** Which machines are checked, and how. */
export interface MachineHealthCheckSpec {
  /** How many machines, or how many percent of them, may be unhealthy; above that none is deleted. */
  readonly maxUnhealthy?: number | string;
  /** How long a machine may be without a node; 0 is without limit. */
  readonly nodeStartupTimeout?: string;
  /** Template of an object that remediates instead of a deletion. */
  readonly remediationTemplate?: MachineHealthCheckSpecRemediationTemplate;
  /** Machines that are checked; empty selects all. */
  readonly selector?: MachineHealthCheckSpecSelector;
  /** Conditions of a node that make it unhealthy. */
  readonly unhealthyConditions?: readonly MachineHealthCheckSpecUnhealthyCondition[];
}

/** Template of an object that remediates instead of a deletion. */
export interface MachineHealthCheckSpecRemediationTemplate {
  /** API version of the object. */
  readonly apiVersion?: string;
  /** Kind of the object. */
  readonly kind?: string;
  /** Namespace of the object. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name?: string;
  /** UID of the object. */
  readonly uid?: string;
  /** Resource version of the object. */
  readonly resourceVersion?: string;
  /** Part of the object. */
  readonly fieldPath?: string;
}

/** Machines that are checked; empty selects all. */
export interface MachineHealthCheckSpecSelector {
  /** Labels that all must match. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Requirements that all must hold. */
  readonly matchExpressions?: readonly MachineHealthCheckSpecSelectorMatchExpression[];
}

/** A requirement. */
export interface MachineHealthCheckSpecSelectorMatchExpression {
  /** Key of the label. */
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** Values of the label. */
  readonly values?: readonly string[];
}

/** A condition of a node. */
export interface MachineHealthCheckSpecUnhealthyCondition {
  /** Type of the condition. */
  readonly type?: string;
  /** Status of the condition. */
  readonly status?: string;
  /** How long the condition must last. */
  readonly timeout?: string;
}

/** Observed state of the check. */
export interface MachineHealthCheckStatus {
  /** Conditions, one per type. */
  readonly conditions?: readonly MachineCondition[];
  /** Machines that are healthy. */
  readonly currentHealthy?: number;
  /** Machines that are checked. */
  readonly expectedMachines?: number;
  /** Further machines that may be unhealthy before remediation stops. */
  readonly remediationsAllowed?: number;
}

/** One aspect of the state. */
export interface MachineCondition {
  /** Type of the condition. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** Error, Warning or Info; empty where the status is True or Unknown. */
  readonly severity?: string;
  /** Reason for the status, in one word. */
  readonly reason?: string;
  /** Explanation for people. */
  readonly message?: string;
  /** When status, reason, message or severity last changed. */
  readonly lastTransitionTime: string;
}

/** What `parseMachineHealthCheck` checks. */
export const machineHealthCheckShape: Schema = {
  "type": "object",
  "properties": {
    "spec": {
      "type": "object",
      "properties": {
        "maxUnhealthy": {
          "x-kubernetes-int-or-string": true
        },
        "nodeStartupTimeout": {
          "type": "string"
        },
        "remediationTemplate": {
          "type": "object",
          "properties": {
            "apiVersion": {
              "type": "string"
            },
            "kind": {
              "type": "string"
            },
            "namespace": {
              "type": "string"
            },
            "name": {
              "type": "string"
            },
            "uid": {
              "type": "string"
            },
            "resourceVersion": {
              "type": "string"
            },
            "fieldPath": {
              "type": "string"
            }
          }
        },
        "selector": {
          "type": "object",
          "properties": {
            "matchLabels": {
              "type": "object",
              "additionalProperties": {
                "type": "string"
              }
            },
            "matchExpressions": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "key",
                  "operator"
                ],
                "properties": {
                  "key": {
                    "type": "string"
                  },
                  "operator": {
                    "type": "string"
                  },
                  "values": {
                    "type": "array",
                    "items": {
                      "type": "string"
                    }
                  }
                }
              }
            }
          }
        },
        "unhealthyConditions": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "type": {
                "type": "string"
              },
              "status": {
                "type": "string"
              },
              "timeout": {
                "type": "string"
              }
            }
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
              "severity": {
                "type": "string"
              },
              "reason": {
                "type": "string"
              },
              "message": {
                "type": "string"
              },
              "lastTransitionTime": {
                "type": "string"
              }
            }
          }
        },
        "currentHealthy": {
          "type": "integer"
        },
        "expectedMachines": {
          "type": "integer"
        },
        "remediationsAllowed": {
          "type": "integer"
        }
      }
    }
  }
};
