// Generated from scripts/olm-crds/subscriptions.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** An operator that is installed from a catalog and kept up to date. */
export interface Subscription {
  readonly apiVersion: 'operators.coreos.com/v1alpha1';
  readonly kind: 'Subscription';
  readonly metadata: ObjectMeta;
  /** What to install. */
  readonly spec: SubscriptionSpec;
  /** What is installed, and what is in the way of an upgrade. */
  readonly status?: SubscriptionStatus;
}

/** What to install. */
export interface SubscriptionSpec {
  /** Channel of the package. If unset the default one is preferred. */
  readonly channel?: string;
  /** Changes to the Deployments of the operator. */
  readonly config?: SubscriptionSpecConfig;
  /** Automatic or Manual. */
  readonly installPlanApproval?: string;
  /** Name of the package. */
  readonly name: string;
  /** Name of the CatalogSource. */
  readonly source: string;
  /** Namespace of the CatalogSource. */
  readonly sourceNamespace: string;
  /** ClusterServiceVersion to install first. */
  readonly startingCSV?: string;
}

/** Changes to the Deployments of the operator. */
export interface SubscriptionSpecConfig {
  /** Replaces the affinities that are set. */
  readonly affinity?: JsonObject;
  /** Added to the Deployments, their Pods and the APIServices of the operator. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Environment variables of all containers; they win over variables of the same name. */
  readonly env?: readonly JsonObject[];
  /** Sources of environment variables of all containers. */
  readonly envFrom?: readonly JsonObject[];
  /** Labels of the nodes that the Pods may run on. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Resources of all containers. */
  readonly resources?: JsonObject;
  /** Has no effect. */
  readonly selector?: JsonObject;
  /** Added to the tolerations of the Pods. */
  readonly tolerations?: readonly JsonObject[];
  /** Mounts in all containers; they win over mounts of the same name. */
  readonly volumeMounts?: readonly JsonObject[];
  /** Volumes of the Pods; they win over volumes of the same name. */
  readonly volumes?: readonly JsonObject[];
}

/** What is installed, and what is in the way of an upgrade. */
export interface SubscriptionStatus {
  /** The CatalogSources that the namespace can install from. */
  readonly catalogHealth?: readonly SubscriptionStatusCatalogHealth[];
  /** State of the Subscription. */
  readonly conditions?: readonly SubscriptionStatusCondition[];
  /** ClusterServiceVersion that is being installed or is installed. */
  readonly currentCSV?: string;
  /** Generation of the referenced InstallPlan. */
  readonly installPlanGeneration?: number;
  /** The latest InstallPlan. */
  readonly installPlanRef?: ObjectReference;
  /** ClusterServiceVersion that exists in the namespace. */
  readonly installedCSV?: string;
  /** Deprecated; see installPlanRef. */
  readonly installplan?: SubscriptionStatusInstallplan;
  /** When the status was last written. */
  readonly lastUpdated: string;
  /** Reason of the state. */
  readonly reason?: string;
  /** UpgradePending, AtLatestKnown or UpgradeFailed. */
  readonly state?: string;
}

/** Whether a CatalogSource can be used. */
export interface SubscriptionStatusCatalogHealth {
  /** The CatalogSource. */
  readonly catalogSourceRef: ObjectReference;
  /** Whether it can be used. */
  readonly healthy: boolean;
  /** When this was last written. */
  readonly lastUpdated: string;
}

/** The CatalogSource. */
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

/** One aspect of the state of the Subscription. */
export interface SubscriptionStatusCondition {
  /** When this was last observed. */
  readonly lastHeartbeatTime?: string;
  /** When the status last changed. */
  readonly lastTransitionTime?: string;
  /** Details for people. */
  readonly message?: string;
  /** Why the condition has this status, in CamelCase. */
  readonly reason?: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** Type of the condition. */
  readonly type: string;
}

/** Deprecated; see installPlanRef. */
export interface SubscriptionStatusInstallplan {
  /** API version of the InstallPlan. */
  readonly apiVersion: string;
  /** Kind of the InstallPlan. */
  readonly kind: string;
  /** Name of the InstallPlan. */
  readonly name: string;
  /** UID of the InstallPlan. */
  readonly uuid: string;
}

/** What `parseSubscription` checks. */
export const subscriptionShape: Schema = {
  "type": "object",
  "required": [
    "metadata",
    "spec"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "required": [
        "name",
        "source",
        "sourceNamespace"
      ],
      "properties": {
        "channel": {
          "type": "string"
        },
        "config": {
          "type": "object",
          "properties": {
            "affinity": {
              "type": "object"
            },
            "annotations": {
              "type": "object",
              "additionalProperties": {
                "type": "string"
              }
            },
            "env": {
              "type": "array",
              "items": {
                "type": "object"
              }
            },
            "envFrom": {
              "type": "array",
              "items": {
                "type": "object"
              }
            },
            "nodeSelector": {
              "type": "object",
              "additionalProperties": {
                "type": "string"
              }
            },
            "resources": {
              "type": "object"
            },
            "selector": {
              "type": "object"
            },
            "tolerations": {
              "type": "array",
              "items": {
                "type": "object"
              }
            },
            "volumeMounts": {
              "type": "array",
              "items": {
                "type": "object"
              }
            },
            "volumes": {
              "type": "array",
              "items": {
                "type": "object"
              }
            }
          }
        },
        "installPlanApproval": {
          "type": "string"
        },
        "name": {
          "type": "string"
        },
        "source": {
          "type": "string"
        },
        "sourceNamespace": {
          "type": "string"
        },
        "startingCSV": {
          "type": "string"
        }
      }
    },
    "status": {
      "type": "object",
      "required": [
        "lastUpdated"
      ],
      "properties": {
        "catalogHealth": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "catalogSourceRef",
              "healthy",
              "lastUpdated"
            ],
            "properties": {
              "catalogSourceRef": {
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
              },
              "healthy": {
                "type": "boolean"
              },
              "lastUpdated": {
                "type": "string"
              }
            }
          }
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
              "lastHeartbeatTime": {
                "type": "string"
              },
              "lastTransitionTime": {
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
        "currentCSV": {
          "type": "string"
        },
        "installPlanGeneration": {
          "type": "integer"
        },
        "installPlanRef": {
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
        },
        "installedCSV": {
          "type": "string"
        },
        "installplan": {
          "type": "object",
          "required": [
            "apiVersion",
            "kind",
            "name",
            "uuid"
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
            "uuid": {
              "type": "string"
            }
          }
        },
        "lastUpdated": {
          "type": "string"
        },
        "reason": {
          "type": "string"
        },
        "state": {
          "type": "string"
        }
      }
    }
  }
};
