// Generated from scripts/olm-crds/installplans.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** The steps that install a set of ClusterServiceVersions and what they need. */
export interface InstallPlan {
  readonly apiVersion: 'operators.coreos.com/v1alpha1';
  readonly kind: 'InstallPlan';
  readonly metadata: ObjectMeta;
  /** What to install, and whether it may be installed. */
  readonly spec: InstallPlanSpec;
  /** The steps and how far they are applied. */
  readonly status?: InstallPlanStatus;
}

/** What to install, and whether it may be installed. */
export interface InstallPlanSpec {
  /** Automatic or Manual. */
  readonly approval: string;
  /** Whether the steps may be applied. */
  readonly approved: boolean;
  /** Names of the ClusterServiceVersions that the plan installs. */
  readonly clusterServiceVersionNames: readonly string[];
  /** Number that all plans of one resolution share. */
  readonly generation?: number;
  /** Name of a CatalogSource; informational. */
  readonly source?: string;
  /** Namespace of that CatalogSource; informational. */
  readonly sourceNamespace?: string;
}

/** The steps and how far they are applied. */
export interface InstallPlanStatus {
  /** ServiceAccount whose permissions limit what the plan may apply. */
  readonly attenuatedServiceAccountRef?: ObjectReference;
  /** Bundles whose content is being fetched. */
  readonly bundleLookups?: readonly InstallPlanStatusBundleLookup[];
  /** Names of the CatalogSources that the steps come from. */
  readonly catalogSources: readonly string[];
  /** State of the plan. */
  readonly conditions?: readonly InstallPlanStatusCondition[];
  /** Text of the last retry or failure. */
  readonly message?: string;
  /** Planning, RequiresApproval, Installing, Complete or Failed. */
  readonly phase: string;
  /** The steps in their order. */
  readonly plan?: readonly InstallPlanStatusPlan[];
  /** When the steps were first applied. */
  readonly startTime?: string;
}

/** ServiceAccount whose permissions limit what the plan may apply. */
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

/** The content of one bundle. */
export interface InstallPlanStatusBundleLookup {
  /** CatalogSource that has the bundle. */
  readonly catalogSourceRef: ObjectReference;
  /** How far the content is fetched. */
  readonly conditions?: readonly InstallPlanStatusBundleLookupCondition[];
  /** Name of the bundle. */
  readonly identifier: string;
  /** Reference of the image with the content. */
  readonly path: string;
  /** Properties of the bundle, in JSON. */
  readonly properties?: string;
  /** Name of the bundle that this one replaces. */
  readonly replaces: string;
}

/** One aspect of fetching the content. */
export interface InstallPlanStatusBundleLookupCondition {
  /** When the status last changed. */
  readonly lastTransitionTime?: string;
  /** When the condition was last set. */
  readonly lastUpdateTime?: string;
  /** Details for people. */
  readonly message?: string;
  /** Why the condition has this status, in CamelCase. */
  readonly reason?: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** BundleLookupPending, BundleLookupFailed or BundleLookupNotPersisted. */
  readonly type: string;
}

/** One aspect of the state of the plan. */
export interface InstallPlanStatusCondition {
  /** When the status last changed. */
  readonly lastTransitionTime?: string;
  /** When the condition was last set. */
  readonly lastUpdateTime?: string;
  /** Details for people. */
  readonly message?: string;
  /** Why the condition has this status, in CamelCase. */
  readonly reason?: string;
  /** True, False or Unknown. */
  readonly status?: string;
  /** Installed or Resolved. */
  readonly type?: string;
}

/** An object to apply. */
export interface InstallPlanStatusPlan {
  /** Whether the plan may complete without this step. */
  readonly optional?: boolean;
  /** ClusterServiceVersion that needs the object. */
  readonly resolving: string;
  /** The object. */
  readonly resource: InstallPlanStatusPlanResource;
  /** Unknown, NotPresent, Present, Created, NotCreated, WaitingForApi or UnsupportedResource. */
  readonly status: string;
}

/** The object. */
export interface InstallPlanStatusPlanResource {
  /** API group of the object. */
  readonly group: string;
  /** Kind of the object. */
  readonly kind: string;
  /** The object in JSON, or a reference to the ConfigMap that has it. */
  readonly manifest?: string;
  /** Name of the object. */
  readonly name: string;
  /** CatalogSource that the object comes from. */
  readonly sourceName: string;
  /** Namespace of that CatalogSource. */
  readonly sourceNamespace: string;
  /** API version of the object. */
  readonly version: string;
}

/** What `parseInstallPlan` checks. */
export const installPlanShape: Schema = {
  "type": "object",
  "required": [
    "metadata",
    "spec"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "required": [
        "approval",
        "approved",
        "clusterServiceVersionNames"
      ],
      "properties": {
        "approval": {
          "type": "string"
        },
        "approved": {
          "type": "boolean"
        },
        "clusterServiceVersionNames": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "generation": {
          "type": "integer"
        },
        "source": {
          "type": "string"
        },
        "sourceNamespace": {
          "type": "string"
        }
      }
    },
    "status": {
      "type": "object",
      "required": [
        "catalogSources",
        "phase"
      ],
      "properties": {
        "attenuatedServiceAccountRef": {
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
        "bundleLookups": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "catalogSourceRef",
              "identifier",
              "path",
              "replaces"
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
              "conditions": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": [
                    "status",
                    "type"
                  ],
                  "properties": {
                    "lastTransitionTime": {
                      "type": "string"
                    },
                    "lastUpdateTime": {
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
              "identifier": {
                "type": "string"
              },
              "path": {
                "type": "string"
              },
              "properties": {
                "type": "string"
              },
              "replaces": {
                "type": "string"
              }
            }
          }
        },
        "catalogSources": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "conditions": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "lastTransitionTime": {
                "type": "string"
              },
              "lastUpdateTime": {
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
        "message": {
          "type": "string"
        },
        "phase": {
          "type": "string"
        },
        "plan": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "resolving",
              "resource",
              "status"
            ],
            "properties": {
              "optional": {
                "type": "boolean"
              },
              "resolving": {
                "type": "string"
              },
              "resource": {
                "type": "object",
                "required": [
                  "group",
                  "kind",
                  "name",
                  "sourceName",
                  "sourceNamespace",
                  "version"
                ],
                "properties": {
                  "group": {
                    "type": "string"
                  },
                  "kind": {
                    "type": "string"
                  },
                  "manifest": {
                    "type": "string"
                  },
                  "name": {
                    "type": "string"
                  },
                  "sourceName": {
                    "type": "string"
                  },
                  "sourceNamespace": {
                    "type": "string"
                  },
                  "version": {
                    "type": "string"
                  }
                }
              },
              "status": {
                "type": "string"
              }
            }
          }
        },
        "startTime": {
          "type": "string"
        }
      }
    }
  }
};
