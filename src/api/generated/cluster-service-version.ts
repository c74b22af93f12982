// Generated from scripts/olm-crds/clusterserviceversions.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** One version of an operator and how it is installed. */
export interface ClusterServiceVersion {
  readonly apiVersion: 'operators.coreos.com/v1alpha1';
  readonly kind: 'ClusterServiceVersion';
  readonly metadata: ObjectMeta;
  /** The operator. */
  readonly spec: ClusterServiceVersionSpec;
  /** How far the operator is installed. */
  readonly status?: ClusterServiceVersionStatus;
}

/** The operator. */
export interface ClusterServiceVersionSpec {
  /** Annotations; informational. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** APIs of extension API servers. */
  readonly apiservicedefinitions?: ClusterServiceVersionSpecApiservicedefinitions;
  /** Has no effect. */
  readonly cleanup?: ClusterServiceVersionSpecCleanup;
  /** APIs of CustomResourceDefinitions. */
  readonly customresourcedefinitions?: ClusterServiceVersionSpecCustomresourcedefinitions;
  /** What the operator does, in Markdown. */
  readonly description?: string;
  /** Name of the operator for people. */
  readonly displayName: string;
  /** Icons of the operator. */
  readonly icon?: readonly Icon[];
  /** How the operator is installed. */
  readonly install: ClusterServiceVersionSpecInstall;
  /** Sets of target namespaces that the operator supports. */
  readonly installModes?: readonly ClusterServiceVersionSpecInstallMode[];
  /** Words to find the operator by. */
  readonly keywords?: readonly string[];
  /** Labels; informational. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Pages about the operator. */
  readonly links?: readonly ClusterServiceVersionSpecLink[];
  /** Who maintains the operator. */
  readonly maintainers?: readonly ClusterServiceVersionSpecMaintainer[];
  /** Maturity of the operator, such as stable. */
  readonly maturity?: string;
  /** Lowest version of Kubernetes that the operator runs on. */
  readonly minKubeVersion?: string;
  /** Kinds that the cluster has to serve. */
  readonly nativeAPIs?: readonly ClusterServiceVersionSpecNativeAPI[];
  /** Who provides the operator. */
  readonly provider?: ClusterServiceVersionSpecProvider;
  /** Images that the operator uses, for mirrors. */
  readonly relatedImages?: readonly ClusterServiceVersionSpecRelatedImage[];
  /** Orders releases of the same version. */
  readonly release?: string;
  /** ClusterServiceVersion that this one replaces. */
  readonly replaces?: string;
  /** Informational. */
  readonly selector?: JsonObject;
  /** Further ClusterServiceVersions that this one may replace. */
  readonly skips?: readonly string[];
  /** Semantic version of the operator. */
  readonly version?: string;
  /** Webhooks that the operator serves. */
  readonly webhookdefinitions?: readonly ClusterServiceVersionSpecWebhookdefinition[];
}

/** APIs of extension API servers. */
export interface ClusterServiceVersionSpecApiservicedefinitions {
  /** APIs that the operator serves. */
  readonly owned?: readonly ApiServiceDescription[];
  /** APIs that the operator needs. */
  readonly required?: readonly ApiServiceDescription[];
}

/** An API that an extension API server serves. */
export interface ApiServiceDescription {
  /** How consoles show fields or actions of the kind. */
  readonly actionDescriptors?: readonly Descriptor[];
  /** Port that the extension API server listens on. */
  readonly containerPort?: number;
  /** Deployment of the install strategy that runs the extension API server. */
  readonly deploymentName?: string;
  /** What the kind is for. */
  readonly description?: string;
  /** Name of the kind for people. */
  readonly displayName?: string;
  /** Group of the API. */
  readonly group: string;
  /** Kind that the API serves. */
  readonly kind: string;
  /** Plural name of the resource. */
  readonly name: string;
  /** Objects that the operator creates for an object of the kind. */
  readonly resources?: readonly ResourceName[];
  /** How consoles show fields or actions of the kind. */
  readonly specDescriptors?: readonly Descriptor[];
  /** How consoles show fields or actions of the kind. */
  readonly statusDescriptors?: readonly Descriptor[];
  /** Version of the API. */
  readonly version: string;
}

/** How consoles show a field or an action. */
export interface Descriptor {
  /** What the field is for. */
  readonly description?: string;
  /** Name for people. */
  readonly displayName?: string;
  /** Path of the field below spec or status. */
  readonly path: string;
  /** Value in JSON, in base64. */
  readonly value?: string;
  /** Hints for the form of the field, as URNs. */
  readonly 'x-descriptors'?: readonly string[];
}

/** A resource that belongs to the API. */
export interface ResourceName {
  /** Kind of the resource. */
  readonly kind: string;
  /** Name of the resource. */
  readonly name: string;
  /** Version of the resource. */
  readonly version: string;
}

/** Has no effect. */
export interface ClusterServiceVersionSpecCleanup {
  /** Has no effect. */
  readonly enabled: boolean;
}

/** APIs of CustomResourceDefinitions. */
export interface ClusterServiceVersionSpecCustomresourcedefinitions {
  /** CustomResourceDefinitions of the operator. */
  readonly owned?: readonly CrdDescription[];
  /** CustomResourceDefinitions that the operator needs. */
  readonly required?: readonly CrdDescription[];
}

/** A CustomResourceDefinition. */
export interface CrdDescription {
  /** How consoles show fields or actions of the kind. */
  readonly actionDescriptors?: readonly Descriptor[];
  /** What the kind is for. */
  readonly description?: string;
  /** Name of the kind for people. */
  readonly displayName?: string;
  /** Kind that the API serves. */
  readonly kind: string;
  /** Name of the definition, <plural>.<group>. */
  readonly name: string;
  /** Objects that the operator creates for an object of the kind. */
  readonly resources?: readonly ResourceName[];
  /** How consoles show fields or actions of the kind. */
  readonly specDescriptors?: readonly Descriptor[];
  /** How consoles show fields or actions of the kind. */
  readonly statusDescriptors?: readonly Descriptor[];
  /** Version of the API. */
  readonly version: string;
}

/** An image. */
export interface Icon {
  /** Content in base64. */
  readonly base64data: string;
  /** Media type, such as image/svg+xml. */
  readonly mediatype: string;
}

/** How the operator is installed. */
export interface ClusterServiceVersionSpecInstall {
  /** What the strategy installs. */
  readonly spec?: ClusterServiceVersionSpecInstallSpec;
  /** Name of the strategy; deployment is the only one. */
  readonly strategy: string;
}

/** What the strategy installs. */
export interface ClusterServiceVersionSpecInstallSpec {
  /** Permissions in the whole cluster. */
  readonly clusterPermissions?: readonly ServiceAccountPermissions[];
  /** Deployments of the operator. */
  readonly deployments: readonly ClusterServiceVersionSpecInstallSpecDeployment[];
  /** Permissions in the target namespaces. */
  readonly permissions?: readonly ServiceAccountPermissions[];
}

/** Permissions of a ServiceAccount. */
export interface ServiceAccountPermissions {
  /** What the ServiceAccount may do. */
  readonly rules: readonly JsonObject[];
  /** Name of the ServiceAccount. */
  readonly serviceAccountName: string;
}

/** A Deployment. */
export interface ClusterServiceVersionSpecInstallSpecDeployment {
  /** Labels of the Deployment. */
  readonly label?: Readonly<Record<string, string>>;
  /** Name of the Deployment. */
  readonly name: string;
  /** Spec of the Deployment. */
  readonly spec: JsonObject;
}

/** Whether a set of target namespaces is supported. */
export interface ClusterServiceVersionSpecInstallMode {
  /** Whether it is supported. */
  readonly supported: boolean;
  /** OwnNamespace, SingleNamespace, MultiNamespace or AllNamespaces. */
  readonly type: string;
}

/** A page. */
export interface ClusterServiceVersionSpecLink {
  /** Title of the page. */
  readonly name?: string;
  /** URL of the page. */
  readonly url?: string;
}

/** A person or an organization. */
export interface ClusterServiceVersionSpecMaintainer {
  /** Email address. */
  readonly email?: string;
  /** Name. */
  readonly name?: string;
}

/** A kind. */
export interface ClusterServiceVersionSpecNativeAPI {
  /** Group of the kind. */
  readonly group: string;
  /** Name of the kind. */
  readonly kind: string;
  /** Version of the kind. */
  readonly version: string;
}

/** Who provides the operator. */
export interface ClusterServiceVersionSpecProvider {
  /** Name of the provider. */
  readonly name?: string;
  /** URL of the provider. */
  readonly url?: string;
}

/** An image. */
export interface ClusterServiceVersionSpecRelatedImage {
  /** Reference of the image. */
  readonly image: string;
  /** What the image is. */
  readonly name: string;
}

/** A webhook. */
export interface ClusterServiceVersionSpecWebhookdefinition {
  /** Versions of the review that the webhook understands, the preferred one first. */
  readonly admissionReviewVersions: readonly string[];
  /** Port of the Service of the webhook. */
  readonly containerPort?: number;
  /** CustomResourceDefinitions that a conversion webhook converts. */
  readonly conversionCRDs?: readonly string[];
  /** Deployment that serves the webhook. */
  readonly deploymentName?: string;
  /** Fail or Ignore. */
  readonly failurePolicy?: string;
  /** Start of the name of the webhook configuration. */
  readonly generateName: string;
  /** Exact or Equivalent. */
  readonly matchPolicy?: string;
  /** Labels of the objects that are reviewed. */
  readonly objectSelector?: JsonObject;
  /** Never or IfNeeded. */
  readonly reinvocationPolicy?: string;
  /** Requests that are reviewed. */
  readonly rules?: readonly JsonObject[];
  /** None, NoneOnDryRun, Some or Unknown. */
  readonly sideEffects: string;
  /** Port of the container. If unset it is containerPort. */
  readonly targetPort?: number | string;
  /** Seconds to wait for the review. */
  readonly timeoutSeconds?: number;
  /** Type of the webhook. */
  readonly type: 'ValidatingAdmissionWebhook' | 'MutatingAdmissionWebhook' | 'ConversionWebhook';
  /** Path of the webhook. */
  readonly webhookPath?: string;
}

/** How far the operator is installed. */
export interface ClusterServiceVersionStatus {
  /** When certificates were last issued. */
  readonly certsLastUpdated?: string;
  /** When certificates are issued again. */
  readonly certsRotateAt?: string;
  /** Not used. */
  readonly cleanup?: ClusterServiceVersionStatusCleanup;
  /** The phases that were passed through, the latest last. */
  readonly conditions?: readonly ClusterServiceVersionStatusCondition[];
  /** When the phase last changed. */
  readonly lastTransitionTime?: string;
  /** When the status was last written. */
  readonly lastUpdateTime?: string;
  /** Details for people. */
  readonly message?: string;
  /** Pending, InstallReady, Installing, Succeeded, Failed, Unknown, Replacing or Deleting. */
  readonly phase?: string;
  /** Why the operator is in this phase, in CamelCase. */
  readonly reason?: string;
  /** What the operator needs to be installed. */
  readonly requirementStatus?: readonly ClusterServiceVersionStatusRequirementStatu[];
}

/** Not used. */
export interface ClusterServiceVersionStatusCleanup {
  /** Not used. */
  readonly pendingDeletion?: readonly ClusterServiceVersionStatusCleanupPendingDeletion[];
}

/** Objects of a kind. */
export interface ClusterServiceVersionStatusCleanupPendingDeletion {
  /** Group of the kind. */
  readonly group: string;
  /** The objects. */
  readonly instances: readonly ClusterServiceVersionStatusCleanupPendingDeletionInstance[];
  /** Name of the kind. */
  readonly kind: string;
}

/** An object. */
export interface ClusterServiceVersionStatusCleanupPendingDeletionInstance {
  /** Name of the object. */
  readonly name: string;
  /** Namespace of the object. */
  readonly namespace?: string;
}

/** A phase that was passed through. */
export interface ClusterServiceVersionStatusCondition {
  /** When the phase last changed. */
  readonly lastTransitionTime?: string;
  /** When the status was last written. */
  readonly lastUpdateTime?: string;
  /** Details for people. */
  readonly message?: string;
  /** Pending, InstallReady, Installing, Succeeded, Failed, Unknown, Replacing or Deleting. */
  readonly phase?: string;
  /** Why the operator is in this phase, in CamelCase. */
  readonly reason?: string;
}

/** An object that the operator needs. */
export interface ClusterServiceVersionStatusRequirementStatu {
  /** Permissions that a ServiceAccount needs. */
  readonly dependents?: readonly ClusterServiceVersionStatusRequirementStatuDependent[];
  /** Group of the object. */
  readonly group: string;
  /** Kind of the object. */
  readonly kind: string;
  /** Details for people. */
  readonly message: string;
  /** Name of the object. */
  readonly name: string;
  /** Present, NotPresent, PresentNotSatisfied, PresentNotAvailable, DeploymentFound or DeploymentNotFound. */
  readonly status: string;
  /** UID of the object. */
  readonly uuid?: string;
  /** Version of the object. */
  readonly version: string;
}

/** A permission. */
export interface ClusterServiceVersionStatusRequirementStatuDependent {
  /** Group of the kind. */
  readonly group: string;
  /** Name of the kind. */
  readonly kind: string;
  /** Details for people. */
  readonly message?: string;
  /** Satisfied or NotSatisfied. */
  readonly status: string;
  /** UID of the object. */
  readonly uuid?: string;
  /** Version of the kind. */
  readonly version: string;
}

/** What `parseClusterServiceVersion` checks. */
export const clusterServiceVersionShape: Schema = {
  "type": "object",
  "required": [
    "metadata",
    "spec"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "required": [
        "displayName",
        "install"
      ],
      "properties": {
        "annotations": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          }
        },
        "apiservicedefinitions": {
          "type": "object",
          "properties": {
            "owned": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "group",
                  "kind",
                  "name",
                  "version"
                ],
                "properties": {
                  "actionDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "containerPort": {
                    "type": "integer"
                  },
                  "deploymentName": {
                    "type": "string"
                  },
                  "description": {
                    "type": "string"
                  },
                  "displayName": {
                    "type": "string"
                  },
                  "group": {
                    "type": "string"
                  },
                  "kind": {
                    "type": "string"
                  },
                  "name": {
                    "type": "string"
                  },
                  "resources": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "kind",
                        "name",
                        "version"
                      ],
                      "properties": {
                        "kind": {
                          "type": "string"
                        },
                        "name": {
                          "type": "string"
                        },
                        "version": {
                          "type": "string"
                        }
                      }
                    }
                  },
                  "specDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "statusDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "version": {
                    "type": "string"
                  }
                }
              }
            },
            "required": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "group",
                  "kind",
                  "name",
                  "version"
                ],
                "properties": {
                  "actionDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "containerPort": {
                    "type": "integer"
                  },
                  "deploymentName": {
                    "type": "string"
                  },
                  "description": {
                    "type": "string"
                  },
                  "displayName": {
                    "type": "string"
                  },
                  "group": {
                    "type": "string"
                  },
                  "kind": {
                    "type": "string"
                  },
                  "name": {
                    "type": "string"
                  },
                  "resources": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "kind",
                        "name",
                        "version"
                      ],
                      "properties": {
                        "kind": {
                          "type": "string"
                        },
                        "name": {
                          "type": "string"
                        },
                        "version": {
                          "type": "string"
                        }
                      }
                    }
                  },
                  "specDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "statusDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "version": {
                    "type": "string"
                  }
                }
              }
            }
          }
        },
        "cleanup": {
          "type": "object",
          "required": [
            "enabled"
          ],
          "properties": {
            "enabled": {
              "type": "boolean"
            }
          }
        },
        "customresourcedefinitions": {
          "type": "object",
          "properties": {
            "owned": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "kind",
                  "name",
                  "version"
                ],
                "properties": {
                  "actionDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "description": {
                    "type": "string"
                  },
                  "displayName": {
                    "type": "string"
                  },
                  "kind": {
                    "type": "string"
                  },
                  "name": {
                    "type": "string"
                  },
                  "resources": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "kind",
                        "name",
                        "version"
                      ],
                      "properties": {
                        "kind": {
                          "type": "string"
                        },
                        "name": {
                          "type": "string"
                        },
                        "version": {
                          "type": "string"
                        }
                      }
                    }
                  },
                  "specDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "statusDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "version": {
                    "type": "string"
                  }
                }
              }
            },
            "required": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "kind",
                  "name",
                  "version"
                ],
                "properties": {
                  "actionDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "description": {
                    "type": "string"
                  },
                  "displayName": {
                    "type": "string"
                  },
                  "kind": {
                    "type": "string"
                  },
                  "name": {
                    "type": "string"
                  },
                  "resources": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "kind",
                        "name",
                        "version"
                      ],
                      "properties": {
                        "kind": {
                          "type": "string"
                        },
                        "name": {
                          "type": "string"
                        },
                        "version": {
                          "type": "string"
                        }
                      }
                    }
                  },
                  "specDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "statusDescriptors": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "path"
                      ],
                      "properties": {
                        "description": {
                          "type": "string"
                        },
                        "displayName": {
                          "type": "string"
                        },
                        "path": {
                          "type": "string"
                        },
                        "value": {
                          "type": "string"
                        },
                        "x-descriptors": {
                          "type": "array",
                          "items": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  },
                  "version": {
                    "type": "string"
                  }
                }
              }
            }
          }
        },
        "description": {
          "type": "string"
        },
        "displayName": {
          "type": "string"
        },
        "icon": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "base64data",
              "mediatype"
            ],
            "properties": {
              "base64data": {
                "type": "string"
              },
              "mediatype": {
                "type": "string"
              }
            }
          }
        },
        "install": {
          "type": "object",
          "required": [
            "strategy"
          ],
          "properties": {
            "spec": {
              "type": "object",
              "required": [
                "deployments"
              ],
              "properties": {
                "clusterPermissions": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": [
                      "rules",
                      "serviceAccountName"
                    ],
                    "properties": {
                      "rules": {
                        "type": "array",
                        "items": {
                          "type": "object"
                        }
                      },
                      "serviceAccountName": {
                        "type": "string"
                      }
                    }
                  }
                },
                "deployments": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": [
                      "name",
                      "spec"
                    ],
                    "properties": {
                      "label": {
                        "type": "object",
                        "additionalProperties": {
                          "type": "string"
                        }
                      },
                      "name": {
                        "type": "string"
                      },
                      "spec": {
                        "type": "object"
                      }
                    }
                  }
                },
                "permissions": {
                  "type": "array",
                  "items": {
                    "type": "object",
                    "required": [
                      "rules",
                      "serviceAccountName"
                    ],
                    "properties": {
                      "rules": {
                        "type": "array",
                        "items": {
                          "type": "object"
                        }
                      },
                      "serviceAccountName": {
                        "type": "string"
                      }
                    }
                  }
                }
              }
            },
            "strategy": {
              "type": "string"
            }
          }
        },
        "installModes": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "supported",
              "type"
            ],
            "properties": {
              "supported": {
                "type": "boolean"
              },
              "type": {
                "type": "string"
              }
            }
          }
        },
        "keywords": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "labels": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          }
        },
        "links": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "type": "string"
              },
              "url": {
                "type": "string"
              }
            }
          }
        },
        "maintainers": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "email": {
                "type": "string"
              },
              "name": {
                "type": "string"
              }
            }
          }
        },
        "maturity": {
          "type": "string"
        },
        "minKubeVersion": {
          "type": "string"
        },
        "nativeAPIs": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "group",
              "kind",
              "version"
            ],
            "properties": {
              "group": {
                "type": "string"
              },
              "kind": {
                "type": "string"
              },
              "version": {
                "type": "string"
              }
            }
          }
        },
        "provider": {
          "type": "object",
          "properties": {
            "name": {
              "type": "string"
            },
            "url": {
              "type": "string"
            }
          }
        },
        "relatedImages": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "image",
              "name"
            ],
            "properties": {
              "image": {
                "type": "string"
              },
              "name": {
                "type": "string"
              }
            }
          }
        },
        "release": {
          "type": "string"
        },
        "replaces": {
          "type": "string"
        },
        "selector": {
          "type": "object"
        },
        "skips": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "version": {
          "type": "string"
        },
        "webhookdefinitions": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "admissionReviewVersions",
              "generateName",
              "sideEffects",
              "type"
            ],
            "properties": {
              "admissionReviewVersions": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              },
              "containerPort": {
                "type": "integer"
              },
              "conversionCRDs": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              },
              "deploymentName": {
                "type": "string"
              },
              "failurePolicy": {
                "type": "string"
              },
              "generateName": {
                "type": "string"
              },
              "matchPolicy": {
                "type": "string"
              },
              "objectSelector": {
                "type": "object"
              },
              "reinvocationPolicy": {
                "type": "string"
              },
              "rules": {
                "type": "array",
                "items": {
                  "type": "object"
                }
              },
              "sideEffects": {
                "type": "string"
              },
              "targetPort": {
                "x-kubernetes-int-or-string": true
              },
              "timeoutSeconds": {
                "type": "integer"
              },
              "type": {
                "type": "string",
                "enum": [
                  "ValidatingAdmissionWebhook",
                  "MutatingAdmissionWebhook",
                  "ConversionWebhook"
                ]
              },
              "webhookPath": {
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
        "certsLastUpdated": {
          "type": "string"
        },
        "certsRotateAt": {
          "type": "string"
        },
        "cleanup": {
          "type": "object",
          "properties": {
            "pendingDeletion": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "group",
                  "instances",
                  "kind"
                ],
                "properties": {
                  "group": {
                    "type": "string"
                  },
                  "instances": {
                    "type": "array",
                    "items": {
                      "type": "object",
                      "required": [
                        "name"
                      ],
                      "properties": {
                        "name": {
                          "type": "string"
                        },
                        "namespace": {
                          "type": "string"
                        }
                      }
                    }
                  },
                  "kind": {
                    "type": "string"
                  }
                }
              }
            }
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
              "phase": {
                "type": "string"
              },
              "reason": {
                "type": "string"
              }
            }
          }
        },
        "lastTransitionTime": {
          "type": "string"
        },
        "lastUpdateTime": {
          "type": "string"
        },
        "message": {
          "type": "string"
        },
        "phase": {
          "type": "string"
        },
        "reason": {
          "type": "string"
        },
        "requirementStatus": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "group",
              "kind",
              "message",
              "name",
              "status",
              "version"
            ],
            "properties": {
              "dependents": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": [
                    "group",
                    "kind",
                    "status",
                    "version"
                  ],
                  "properties": {
                    "group": {
                      "type": "string"
                    },
                    "kind": {
                      "type": "string"
                    },
                    "message": {
                      "type": "string"
                    },
                    "status": {
                      "type": "string"
                    },
                    "uuid": {
                      "type": "string"
                    },
                    "version": {
                      "type": "string"
                    }
                  }
                }
              },
              "group": {
                "type": "string"
              },
              "kind": {
                "type": "string"
              },
              "message": {
                "type": "string"
              },
              "name": {
                "type": "string"
              },
              "status": {
                "type": "string"
              },
              "uuid": {
                "type": "string"
              },
              "version": {
                "type": "string"
              }
            }
          }
        }
      }
    }
  }
};
