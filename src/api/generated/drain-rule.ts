// Generated from crds/machines/drain.platform_drainrules.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** When pods leave a node that is drained, and whether they do. The first rule by name that selects a pod counts. */
export interface DrainRule {
  readonly apiVersion: 'drain.platform/v1alpha1';
  readonly kind: 'DrainRule';
  readonly metadata: ObjectMeta;
  /** Which pods the rule is for, and what a drain does with them. */
  readonly spec: DrainRuleSpec;
}

/** Which pods the rule is for, and what a drain does with them. */
export interface DrainRuleSpec {
  /** Pods of the rule; absent selects all. */
  readonly podSelector?: DrainRuleSpecPodSelector;
  /** Namespaces of the pods; absent selects all. */
  readonly namespaceSelector?: DrainRuleSpecNamespaceSelector;
  /** Machines of the nodes; absent selects all nodes, also those without a machine. */
  readonly machineSelector?: DrainRuleSpecMachineSelector;
  /** Pods of a lower order leave first; the next order begins when they are gone. */
  readonly order?: number;
  /** What a drain does: evict the pod, leave it, or wait until it has completed. */
  readonly behavior?: 'Drain' | 'Skip' | 'WaitCompleted';
}

/** Pods of the rule; absent selects all. */
export interface DrainRuleSpecPodSelector {
  /** Labels that all must match. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Requirements that all must hold. */
  readonly matchExpressions?: readonly DrainRuleSpecPodSelectorMatchExpression[];
}

/** A requirement. */
export interface DrainRuleSpecPodSelectorMatchExpression {
  /** Key of the label. */
  readonly key: string;
  /** How the label is compared. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Values of the label. */
  readonly values?: readonly string[];
}

/** Namespaces of the pods; absent selects all. */
export interface DrainRuleSpecNamespaceSelector {
  /** Labels that all must match. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Requirements that all must hold. */
  readonly matchExpressions?: readonly DrainRuleSpecNamespaceSelectorMatchExpression[];
}

/** A requirement. */
export interface DrainRuleSpecNamespaceSelectorMatchExpression {
  /** Key of the label. */
  readonly key: string;
  /** How the label is compared. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Values of the label. */
  readonly values?: readonly string[];
}

/** Machines of the nodes; absent selects all nodes, also those without a machine. */
export interface DrainRuleSpecMachineSelector {
  /** Labels that all must match. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Requirements that all must hold. */
  readonly matchExpressions?: readonly DrainRuleSpecMachineSelectorMatchExpression[];
}

/** A requirement. */
export interface DrainRuleSpecMachineSelectorMatchExpression {
  /** Key of the label. */
  readonly key: string;
  /** How the label is compared. */
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Values of the label. */
  readonly values?: readonly string[];
}

/** What `parseDrainRule` checks. */
export const drainRuleShape: Schema = {
  "type": "object",
  "required": [
    "spec"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "properties": {
        "podSelector": {
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
                    "type": "string",
                    "enum": [
                      "In",
                      "NotIn",
                      "Exists",
                      "DoesNotExist"
                    ]
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
        "namespaceSelector": {
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
                    "type": "string",
                    "enum": [
                      "In",
                      "NotIn",
                      "Exists",
                      "DoesNotExist"
                    ]
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
        "machineSelector": {
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
                    "type": "string",
                    "enum": [
                      "In",
                      "NotIn",
                      "Exists",
                      "DoesNotExist"
                    ]
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
        "order": {
          "type": "integer"
        },
        "behavior": {
          "type": "string",
          "enum": [
            "Drain",
            "Skip",
            "WaitCompleted"
          ]
        }
      }
    }
  }
};
