// Generated from crds/machines/machineconfiguration.openshift.io_machineconfigpools.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** Nodes that have one configuration, and how they are updated to it. */
export interface MachineConfigPool {
  readonly apiVersion: 'machineconfiguration.openshift.io/v1';
  readonly kind: 'MachineConfigPool';
  readonly metadata: ObjectMeta;
  /** Desired state of the pool. */
  readonly spec: MachineConfigPoolSpec;
  /** Observed state of the pool. */
  readonly status?: MachineConfigPoolStatus;
}

/** Desired state of the pool. */
export interface MachineConfigPoolSpec {
  /** The rendered configuration that nodes are updated to. */
  readonly configuration?: PoolConfiguration;
  /** MachineConfigs of the pool. */
  readonly machineConfigSelector?: MachineConfigPoolSpecMachineConfigSelector;
  /** Nodes that may be unavailable at a time: a number, or a percentage that is rounded down. At least 1; default 1. */
  readonly maxUnavailable?: number | string;
  /** Nodes of the pool. */
  readonly nodeSelector?: MachineConfigPoolSpecNodeSelector;
  /** Stream of images of the operating system. Not used. */
  readonly osImageStream?: MachineConfigPoolSpecOsImageStream;
  /** Whether no further node is started. */
  readonly paused?: boolean;
  /** Images that nodes keep. Not used. */
  readonly pinnedImageSets?: readonly MachineConfigPoolSpecPinnedImageSet[];
  /** How nodes are chosen, and what is checked. Not in OpenShift. */
  readonly rollout?: PoolRollout;
}

/** The rendered configuration that nodes are updated to. */
export interface PoolConfiguration {
  /** API version. */
  readonly apiVersion?: string;
  /** Kind. */
  readonly kind?: string;
  /** Name. */
  readonly name?: string;
  /** Namespace. */
  readonly namespace?: string;
  /** UID. */
  readonly uid?: string;
  /** Resource version. */
  readonly resourceVersion?: string;
  /** Part of the object. */
  readonly fieldPath?: string;
  /** MachineConfigs that were merged, in their order. */
  readonly source?: readonly MachineConfigSource[];
}

/** A MachineConfig. */
export interface MachineConfigSource {
  /** API version. */
  readonly apiVersion?: string;
  /** Kind. */
  readonly kind?: string;
  /** Name. */
  readonly name?: string;
  /** Namespace. */
  readonly namespace?: string;
  /** UID. */
  readonly uid?: string;
  /** Resource version. */
  readonly resourceVersion?: string;
  /** Part of the object. */
  readonly fieldPath?: string;
}

/** MachineConfigs of the pool. */
export interface MachineConfigPoolSpecMachineConfigSelector {
  /** Labels that all must match. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Requirements that all must hold. */
  readonly matchExpressions?: readonly MachineConfigPoolSpecMachineConfigSelectorMatchExpression[];
}

/** A requirement. */
export interface MachineConfigPoolSpecMachineConfigSelectorMatchExpression {
  /** Key of the label. */
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** Values of the label. */
  readonly values?: readonly string[];
}

/** Nodes of the pool. */
export interface MachineConfigPoolSpecNodeSelector {
  /** Labels that all must match. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Requirements that all must hold. */
  readonly matchExpressions?: readonly MachineConfigPoolSpecNodeSelectorMatchExpression[];
}

/** A requirement. */
export interface MachineConfigPoolSpecNodeSelectorMatchExpression {
  /** Key of the label. */
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** Values of the label. */
  readonly values?: readonly string[];
}

/** Stream of images of the operating system. Not used. */
export interface MachineConfigPoolSpecOsImageStream {
  /** Name of the stream. */
  readonly name: string;
}

/** A PinnedImageSet. */
export interface MachineConfigPoolSpecPinnedImageSet {
  /** Name of the PinnedImageSet. */
  readonly name: string;
}

/** How nodes are chosen, and what is checked. Not in OpenShift. */
export interface PoolRollout {
  /** Whether a pool of the control plane may have more nodes unavailable than its quorum allows. */
  readonly allowQuorumLoss?: boolean;
  /** Nodes of one zone that may be unavailable at a time. */
  readonly maxUnavailablePerZone?: number;
  /** How nodes get a configuration; InPlace by their agents, MachineReplace by new machines of their sets. */
  readonly action?: 'InPlace' | 'MachineReplace';
  /** With MachineReplace, 1 keeps a machine until its replacement has a ready node. */
  readonly surge?: number;
  /** Whether a zone is completed before the next one begins. */
  readonly zoneByZone?: boolean;
  /** Whether no other pool starts nodes while a node of this one is degraded. */
  readonly haltOnDegraded?: boolean;
  /** Nodes are started only within one of these; those that were started go on. Without any, always. */
  readonly maintenanceWindows?: readonly MaintenanceWindow[];
  /** What must hold before a node counts as updated, and is uncordoned. */
  readonly gates?: RolloutGates;
}

/** A time that comes again. */
export interface MaintenanceWindow {
  /** Days on which it begins, in UTC. All, if there is none. */
  readonly days?: readonly ('Monday' | 'Tuesday' | 'Wednesday' | 'Thursday' | 'Friday' | 'Saturday' | 'Sunday')[];
  /** When it begins, in UTC. */
  readonly start: string;
  /** How long it lasts, 24h at most: 2h30m. */
  readonly duration: string;
}

/** What must hold before a node counts as updated, and is uncordoned. */
export interface RolloutGates {
  /** How long the node must be ready. */
  readonly readySeconds?: number;
  /** Whether the pods of DaemonSets on the node must be ready. */
  readonly daemonSetsReady?: boolean;
  /** The node is degraded if a gate does not pass within this time. Default 10m. */
  readonly timeout?: string;
}

/** Observed state of the pool. */
export interface MachineConfigPoolStatus {
  /** Conditions, one per type. */
  readonly conditions?: readonly PoolCondition[];
  /** The last configuration that all nodes had. */
  readonly configuration?: PoolConfiguration;
  /** Nodes whose agent reports Degraded or Unreconcilable. */
  readonly degradedMachineCount?: number;
  /** Nodes of the pool. */
  readonly machineCount?: number;
  /** Updated nodes that are ready and schedulable. */
  readonly readyMachineCount?: number;
  /** Nodes that are not ready, or being updated. */
  readonly unavailableMachineCount?: number;
  /** Nodes that have the configuration of the pool. */
  readonly updatedMachineCount?: number;
  /** Generation that the status is about. */
  readonly observedGeneration?: number;
}

/** One aspect of the state. */
export interface PoolCondition {
  /** Type of the condition. */
  readonly type?: string;
  /** True, False or Unknown. */
  readonly status?: string;
  /** Reason for the status, in one word. */
  readonly reason?: string;
  /** Explanation for people. */
  readonly message?: string;
  /** When the status last changed. */
  readonly lastTransitionTime?: string | null;
}

/** What `parseMachineConfigPool` checks. */
export const machineConfigPoolShape: Schema = {
  "type": "object",
  "required": [
    "spec"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "properties": {
        "configuration": {
          "type": "object",
          "properties": {
            "apiVersion": {
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
            "uid": {
              "type": "string"
            },
            "resourceVersion": {
              "type": "string"
            },
            "fieldPath": {
              "type": "string"
            },
            "source": {
              "type": "array",
              "items": {
                "type": "object",
                "properties": {
                  "apiVersion": {
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
              }
            }
          }
        },
        "machineConfigSelector": {
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
        "maxUnavailable": {
          "x-kubernetes-int-or-string": true
        },
        "nodeSelector": {
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
        "osImageStream": {
          "type": "object",
          "required": [
            "name"
          ],
          "properties": {
            "name": {
              "type": "string"
            }
          }
        },
        "paused": {
          "type": "boolean"
        },
        "pinnedImageSets": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "name"
            ],
            "properties": {
              "name": {
                "type": "string"
              }
            }
          }
        },
        "rollout": {
          "type": "object",
          "properties": {
            "allowQuorumLoss": {
              "type": "boolean"
            },
            "maxUnavailablePerZone": {
              "type": "integer"
            },
            "action": {
              "type": "string",
              "enum": [
                "InPlace",
                "MachineReplace"
              ]
            },
            "surge": {
              "type": "integer"
            },
            "zoneByZone": {
              "type": "boolean"
            },
            "haltOnDegraded": {
              "type": "boolean"
            },
            "maintenanceWindows": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "start",
                  "duration"
                ],
                "properties": {
                  "days": {
                    "type": "array",
                    "items": {
                      "type": "string",
                      "enum": [
                        "Monday",
                        "Tuesday",
                        "Wednesday",
                        "Thursday",
                        "Friday",
                        "Saturday",
                        "Sunday"
                      ]
                    }
                  },
                  "start": {
                    "type": "string"
                  },
                  "duration": {
                    "type": "string"
                  }
                }
              }
            },
            "gates": {
              "type": "object",
              "properties": {
                "readySeconds": {
                  "type": "integer"
                },
                "daemonSetsReady": {
                  "type": "boolean"
                },
                "timeout": {
                  "type": "string"
                }
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
            "properties": {
              "type": {
                "type": "string"
              },
              "status": {
                "type": "string"
              },
              "reason": {
                "type": "string"
              },
              "message": {
                "type": "string"
              },
              "lastTransitionTime": {
                "type": "string",
                "nullable": true
              }
            }
          }
        },
        "configuration": {
          "type": "object",
          "properties": {
            "apiVersion": {
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
            "uid": {
              "type": "string"
            },
            "resourceVersion": {
              "type": "string"
            },
            "fieldPath": {
              "type": "string"
            },
            "source": {
              "type": "array",
              "items": {
                "type": "object",
                "properties": {
                  "apiVersion": {
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
              }
            }
          }
        },
        "degradedMachineCount": {
          "type": "integer"
        },
        "machineCount": {
          "type": "integer"
        },
        "readyMachineCount": {
          "type": "integer"
        },
        "unavailableMachineCount": {
          "type": "integer"
        },
        "updatedMachineCount": {
          "type": "integer"
        },
        "observedGeneration": {
          "type": "integer"
        }
      }
    }
  }
};
