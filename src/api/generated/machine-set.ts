// Generated from crds/machines/machine.openshift.io_machinesets.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** Keeps a number of machines. */
export interface MachineSet {
  readonly apiVersion: 'machine.openshift.io/v1beta1';
  readonly kind: 'MachineSet';
  readonly metadata: ObjectMeta;
  /** Desired state of the set. */
  readonly spec?: MachineSetSpec;
  /** Observed state of the set. */
  readonly status?: MachineSetStatus;
}

/** Desired state of the set. */
export interface MachineSetSpec {
  /** API that manages the set; only sets of MachineAPI are reconciled. */
  readonly authoritativeAPI?: 'MachineAPI' | 'ClusterAPI';
  /** Which machines go first when the set scales down. */
  readonly deletePolicy?: 'Random' | 'Newest' | 'Oldest';
  /** How long a node must be ready before its machine counts as available. */
  readonly minReadySeconds?: number;
  /** Number of machines. */
  readonly replicas?: number;
  /** Machines of the set. */
  readonly selector?: MachineSetSpecSelector;
  /** Machines that the set creates. */
  readonly template?: MachineTemplate;
}

/** Machines of the set. */
export interface MachineSetSpecSelector {
  /** Labels that all must match. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Requirements that all must hold. */
  readonly matchExpressions?: readonly MachineSetSpecSelectorMatchExpression[];
}

/** A requirement. */
export interface MachineSetSpecSelectorMatchExpression {
  /** Key of the label. */
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  /** Values of the label. */
  readonly values?: readonly string[];
}

/** Machines that the set creates. */
export interface MachineTemplate {
  /** Labels and annotations of the machines. */
  readonly metadata?: MachineTemplateMetadata;
  /** Desired state of the machines. */
  readonly spec?: MachineSpec;
}

/** Labels and annotations of the machines. */
export interface MachineTemplateMetadata {
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
  readonly ownerReferences?: readonly MachineTemplateMetadataOwnerReference[];
}

/** An owner of the object. */
export interface MachineTemplateMetadataOwnerReference {
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

/** Desired state of the machines. */
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

/** Observed state of the set. */
export interface MachineSetStatus {
  /** API that manages the set. */
  readonly authoritativeAPI?: 'MachineAPI' | 'ClusterAPI' | 'Migrating';
  /** Machines whose node has been ready for `minReadySeconds`. */
  readonly availableReplicas?: number;
  /** Conditions, one per type. */
  readonly conditions?: readonly MachineCondition[];
  /** Why the set failed, in one word. */
  readonly errorReason?: string;
  /** Why the set failed. */
  readonly errorMessage?: string;
  /** Machines that have all labels of the template. */
  readonly fullyLabeledReplicas?: number;
  /** The selector as text, for the scale subresource. */
  readonly labelSelector?: string;
  /** Generation that the status is about. */
  readonly observedGeneration?: number;
  /** Machines whose node is ready. */
  readonly readyReplicas?: number;
  /** Machines that are not being deleted. */
  readonly replicas?: number;
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

/** What `parseMachineSet` checks. */
export const machineSetShape: Schema = {
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
        "deletePolicy": {
          "type": "string",
          "enum": [
            "Random",
            "Newest",
            "Oldest"
          ]
        },
        "minReadySeconds": {
          "type": "integer"
        },
        "replicas": {
          "type": "integer"
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
        "template": {
          "type": "object",
          "properties": {
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
            }
          }
        }
      }
    },
    "status": {
      "type": "object",
      "properties": {
        "authoritativeAPI": {
          "type": "string",
          "enum": [
            "MachineAPI",
            "ClusterAPI",
            "Migrating"
          ]
        },
        "availableReplicas": {
          "type": "integer"
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
        "errorReason": {
          "type": "string"
        },
        "errorMessage": {
          "type": "string"
        },
        "fullyLabeledReplicas": {
          "type": "integer"
        },
        "labelSelector": {
          "type": "string"
        },
        "observedGeneration": {
          "type": "integer"
        },
        "readyReplicas": {
          "type": "integer"
        },
        "replicas": {
          "type": "integer"
        }
      }
    }
  }
};
