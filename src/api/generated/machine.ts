// Generated from crds/machines/machine.openshift.io_machines.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** A machine of the cluster: an instance at a provider, and its node. */
export interface Machine {
  readonly apiVersion: 'machine.openshift.io/v1beta1';
  readonly kind: 'Machine';
  readonly metadata: ObjectMeta;
  /** Desired state of the machine. */
  readonly spec?: MachineSpec;
  /** Observed state of the machine. */
  readonly status?: MachineStatus;
}

/** Desired state of the machine. */
export interface MachineSpec {
  /** API that manages the machine; only machines of MachineAPI are reconciled. */
  readonly authoritativeAPI?: 'MachineAPI' | 'ClusterAPI';
  /** Hooks that other controllers hold in the deletion of the machine. */
  readonly lifecycleHooks?: LifecycleHooks;
  /** Labels and annotations for the node. */
  readonly metadata?: NodeMetadata;
  /** Id of the instance at the provider; the node has the same. */
  readonly providerID?: string;
  /** Describes the instance to the provider. */
  readonly providerSpec?: ProviderSpec;
  /** Taints that are added to the node. */
  readonly taints?: readonly MachineTaint[];
}

/** Hooks that other controllers hold in the deletion of the machine. */
export interface LifecycleHooks {
  /** Keep the node from being drained. */
  readonly preDrain?: readonly LifecycleHook[];
  /** Keep the instance from being terminated. */
  readonly preTerminate?: readonly LifecycleHook[];
}

/** A point in the deletion at which another controller has work to do. */
export interface LifecycleHook {
  /** Name of the step, unique in its list: `BackupVolume`, or `example.org/BackupVolume`. */
  readonly name: string;
  /** Controller that removes the hook once its work is done. */
  readonly owner: string;
}

/** Labels and annotations for the node. */
export interface NodeMetadata {
  /** Name. */
  readonly name?: string;
  /** Prefix of a generated name. */
  readonly generateName?: string;
  /** Namespace. */
  readonly namespace?: string;
  /** Labels. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Owners. */
  readonly ownerReferences?: readonly NodeMetadataOwnerReference[];
}

/** An owner of the object. */
export interface NodeMetadataOwnerReference {
  /** API version of the owner. */
  readonly apiVersion: string;
  /** Kind of the owner. */
  readonly kind: string;
  /** Name of the owner. */
  readonly name: string;
  /** UID of the owner. */
  readonly uid: string;
  /** Whether the owner manages the object. */
  readonly controller?: boolean;
  /** Whether the owner stays until the object is deleted. */
  readonly blockOwnerDeletion?: boolean;
}

/** Describes the instance to the provider. */
export interface ProviderSpec {
  /** As the provider defines it. */
  readonly value?: JsonObject;
}

/** A taint. */
export interface MachineTaint {
  /** Key of the taint. */
  readonly key: string;
  /** Value of the taint. */
  readonly value?: string;
  /** Effect of the taint on pods. */
  readonly effect: string;
  /** When the taint was added. */
  readonly timeAdded?: string;
}

/** Observed state of the machine. */
export interface MachineStatus {
  /** Addresses of the instance. */
  readonly addresses?: readonly MachineAddress[];
  /** API that manages the machine. */
  readonly authoritativeAPI?: 'MachineAPI' | 'ClusterAPI' | 'Migrating';
  /** Conditions, one per type. */
  readonly conditions?: readonly MachineCondition[];
  /** Progress of the drain of the node. */
  readonly drain?: MachineStatusDrain;
  /** Why the machine failed, in one word. */
  readonly errorReason?: string;
  /** Why the machine failed. */
  readonly errorMessage?: string;
  /** What the provider did last. */
  readonly lastOperation?: MachineStatusLastOperation;
  /** When the phase or the node last changed. */
  readonly lastUpdated?: string;
  /** The node of the machine. */
  readonly nodeRef?: MachineStatusNodeRef;
  /** Provisioning, Provisioned, Running, Deleting or Failed. */
  readonly phase?: string;
  /** Id of the instance, as the provider has reported it. The machine gets a Node by the id in its spec only while that is the same. */
  readonly providerID?: string;
  /** As the provider defines it. */
  readonly providerStatus?: JsonObject;
}

/** An address. */
export interface MachineAddress {
  /** Type of the address. */
  readonly type: string;
  /** The address. */
  readonly address: string;
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

/** Progress of the drain of the node. */
export interface MachineStatusDrain {
  /** When the drain began. */
  readonly startedAt?: string;
  /** How often evictions were requested. */
  readonly attempts?: number;
  /** Pods that are still on the node and must go. */
  readonly remaining?: number;
  /** Pods that cannot go yet, twenty at most. */
  readonly blocking?: readonly MachineStatusDrainBlocking[];
}

/** A pod that cannot go yet. */
export interface MachineStatusDrainBlocking {
  /** Namespace and name of the pod. */
  readonly pod: string;
  /** Why: the PodDisruptionBudget, Terminating, WaitCompleted, or the error. */
  readonly cause: string;
}

/** What the provider did last. */
export interface MachineStatusLastOperation {
  /** Description of the operation. */
  readonly description?: string;
  /** When it last changed. */
  readonly lastUpdated?: string;
  /** State of the operation. */
  readonly state?: string;
  /** Type of the operation. */
  readonly type?: string;
}

/** The node of the machine. */
export interface MachineStatusNodeRef {
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

/** What `parseMachine` checks. */
export const machineShape: Schema = {
  "type": "object",
  "properties": {
    "spec": {
      "type": "object",
      "properties": {
        "authoritativeAPI": {
          "type": "string",
          "enum": [
            "MachineAPI",
            "ClusterAPI"
          ]
        },
        "lifecycleHooks": {
          "type": "object",
          "properties": {
            "preDrain": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "name",
                  "owner"
                ],
                "properties": {
                  "name": {
                    "type": "string"
                  },
                  "owner": {
                    "type": "string"
                  }
                }
              }
            },
            "preTerminate": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "name",
                  "owner"
                ],
                "properties": {
                  "name": {
                    "type": "string"
                  },
                  "owner": {
                    "type": "string"
                  }
                }
              }
            }
          }
        },
        "metadata": {
          "type": "object",
          "properties": {
            "name": {
              "type": "string"
            },
            "generateName": {
              "type": "string"
            },
            "namespace": {
              "type": "string"
            },
            "labels": {
              "type": "object",
              "additionalProperties": {
                "type": "string"
              }
            },
            "annotations": {
              "type": "object",
              "additionalProperties": {
                "type": "string"
              }
            },
            "ownerReferences": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "apiVersion",
                  "kind",
                  "name",
                  "uid"
                ],
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
                  "uid": {
                    "type": "string"
                  },
                  "controller": {
                    "type": "boolean"
                  },
                  "blockOwnerDeletion": {
                    "type": "boolean"
                  }
                }
              }
            }
          }
        },
        "providerID": {
          "type": "string"
        },
        "providerSpec": {
          "type": "object",
          "properties": {
            "value": {
              "type": "object"
            }
          }
        },
        "taints": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "effect",
              "key"
            ],
            "properties": {
              "key": {
                "type": "string"
              },
              "value": {
                "type": "string"
              },
              "effect": {
                "type": "string"
              },
              "timeAdded": {
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
        "addresses": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "address",
              "type"
            ],
            "properties": {
              "type": {
                "type": "string"
              },
              "address": {
                "type": "string"
              }
            }
          }
        },
        "authoritativeAPI": {
          "type": "string",
          "enum": [
            "MachineAPI",
            "ClusterAPI",
            "Migrating"
          ]
        },
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
        "drain": {
          "type": "object",
          "properties": {
            "startedAt": {
              "type": "string"
            },
            "attempts": {
              "type": "integer"
            },
            "remaining": {
              "type": "integer"
            },
            "blocking": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "pod",
                  "cause"
                ],
                "properties": {
                  "pod": {
                    "type": "string"
                  },
                  "cause": {
                    "type": "string"
                  }
                }
              }
            }
          }
        },
        "errorReason": {
          "type": "string"
        },
        "errorMessage": {
          "type": "string"
        },
        "lastOperation": {
          "type": "object",
          "properties": {
            "description": {
              "type": "string"
            },
            "lastUpdated": {
              "type": "string"
            },
            "state": {
              "type": "string"
            },
            "type": {
              "type": "string"
            }
          }
        },
        "lastUpdated": {
          "type": "string"
        },
        "nodeRef": {
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
        "phase": {
          "type": "string"
        },
        "providerID": {
          "type": "string"
        },
        "providerStatus": {
          "type": "object"
        }
      }
    }
  }
};
