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
  /** Which nodes are started first. */
  readonly order?: RolloutOrder;
  /** The first nodes of an order are updated, and watched for a time, before others are started. */
  readonly canary?: RolloutCanary;
  /** Whether a zone is completed before the next one begins. With LabelPriority, zones come in the order of the smallest value in each. */
  readonly zoneByZone?: boolean;
  /** Whether no other pool starts nodes while a node of this one is degraded. */
  readonly haltOnDegraded?: boolean;
  /** Nodes are started only within one of these; those that were started go on. Without any, always. */
  readonly maintenanceWindows?: readonly MaintenanceWindow[];
  /** What must hold before a node counts as updated and is uncordoned, and before further nodes are started. */
  readonly gates?: RolloutGates;
}

/** Which nodes are started first. */
export interface RolloutOrder {
  /** ZoneAge by zone and then the oldest first, Name by name, LabelPriority by the value of a label. */
  readonly by: 'ZoneAge' | 'Name' | 'LabelPriority';
  /** Label of LabelPriority. Integers come first, the smallest one before all others, then other values in alphabetical order, then nodes without the label. */
  readonly label?: string;
}

/** The first nodes of an order are updated, and watched for a time, before others are started. */
export interface RolloutCanary {
  /** How many nodes. */
  readonly count: number;
  /** How long they must all have been updated and ready before others are started, 168h at most. Default 10m. */
  readonly bake?: string;
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

/** What must hold before a node counts as updated and is uncordoned, and before further nodes are started. */
export interface RolloutGates {
  /** How long the node must be ready. */
  readonly readySeconds?: number;
  /** Whether the pods of DaemonSets on the node must be ready. */
  readonly daemonSetsReady?: boolean;
  /** Whether nodes are not started while PodDisruptionBudgets can never allow their drain. Without it they are started, and an Event reports it. */
  readonly disruptionBudgets?: boolean;
  /** The node is degraded if a gate does not pass within this time; a Job that has not finished by then has failed. Default 10m. */
  readonly timeout?: string;
  /** Checks of your own. */
  readonly checks?: readonly RolloutCheck[];
}

/** An expression that must be true, or a Job that must succeed. */
export interface RolloutCheck {
  /** Name of the check, by which it is shown and skipped. */
  readonly name: string;
  /** BeforeBatch before further nodes are started, when all that were started are updated; AfterNode before an updated node is uncordoned. */
  readonly when: 'BeforeBatch' | 'AfterNode';
  /** CEL expression. Variables: pool; nodes, those of the pool, before a batch; node, after it. */
  readonly expression?: string;
  /** What it means that the expression is false. */
  readonly message?: string;
  /** CronJob whose template is run as a Job, with the permissions that it has in its namespace. */
  readonly job?: RolloutCheckJob;
}

/** CronJob whose template is run as a Job, with the permissions that it has in its namespace. */
export interface RolloutCheckJob {
  /** Namespace of the CronJob, and of the Job. */
  readonly namespace: string;
  /** Name of the CronJob. It needs the annotation machineconfiguration.openshift.io/check-of with the names of the pools that may run it. */
  readonly cronJob: string;
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
  /** Canary and gates of the update. Not in OpenShift. */
  readonly rollout?: RolloutStatus;
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

/** Canary and gates of the update. Not in OpenShift. */
export interface RolloutStatus {
  /** The configuration that this is about. */
  readonly configuration?: string;
  /** State of the canary. */
  readonly canary?: RolloutCanaryStatus;
  /** Why no further node is started. */
  readonly hold?: RolloutHold;
}

/** State of the canary. */
export interface RolloutCanaryStatus {
  /** The nodes that are updated first; 20 at most are listed. */
  readonly nodes?: readonly string[];
  /** Since when all of them have been updated and ready. */
  readonly readySince?: string;
  /** Whether other nodes may be started. */
  readonly passed?: boolean;
}

/** Why no further node is started. */
export interface RolloutHold {
  /** What holds; canary, maintenance-window, the name of a check, or another rule. */
  readonly gate: string;
  /** Since when. */
  readonly since: string;
  /** Explanation for people, with what to do. */
  readonly message: string;
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
            "order": {
              "type": "object",
              "required": [
                "by"
              ],
              "properties": {
                "by": {
                  "type": "string",
                  "enum": [
                    "ZoneAge",
                    "Name",
                    "LabelPriority"
                  ]
                },
                "label": {
                  "type": "string"
                }
              }
            },
            "canary": {
              "type": "object",
              "required": [
                "count"
              ],
              "properties": {
                "count": {
                  "type": "integer"
                },
                "bake": {
                  "type": "string"
                }
              }
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
                "disruptionBudgets": {
                  "type": "boolean"
                },
                "timeout": {
                  "type": "string"
                },
                "checks": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": [
                      "name",
                      "when"
                    ],
                    "properties": {
                      "name": {
                        "type": "string"
                      },
                      "when": {
                        "type": "string",
                        "enum": [
                          "BeforeBatch",
                          "AfterNode"
                        ]
                      },
                      "expression": {
                        "type": "string"
                      },
                      "message": {
                        "type": "string"
                      },
                      "job": {
                        "type": "object",
                        "required": [
                          "namespace",
                          "cronJob"
                        ],
                        "properties": {
                          "namespace": {
                            "type": "string"
                          },
                          "cronJob": {
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
        "rollout": {
          "type": "object",
          "properties": {
            "configuration": {
              "type": "string"
            },
            "canary": {
              "type": "object",
              "properties": {
                "nodes": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  }
                },
                "readySince": {
                  "type": "string"
                },
                "passed": {
                  "type": "boolean"
                }
              }
            },
            "hold": {
              "type": "object",
              "required": [
                "gate",
                "since",
                "message"
              ],
              "properties": {
                "gate": {
                  "type": "string"
                },
                "since": {
                  "type": "string"
                },
                "message": {
                  "type": "string"
                }
              }
            }
          }
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
