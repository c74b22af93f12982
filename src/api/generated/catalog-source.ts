// Generated from scripts/olm-crds/catalogsources.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** A catalog of operators that Subscriptions install from. */
export interface CatalogSource {
  readonly apiVersion: 'operators.coreos.com/v1alpha1';
  readonly kind: 'CatalogSource';
  readonly metadata: ObjectMeta;
  /** Where the catalog comes from, and how it is served. */
  readonly spec: CatalogSourceSpec;
  /** Whether the catalog is served, and where. */
  readonly status?: CatalogSourceStatus;
}

/** Where the catalog comes from, and how it is served. */
export interface CatalogSourceSpec {
  /** Address of a registry that is served already, host:port. Ignored if image is set. */
  readonly address?: string;
  /** ConfigMap with the catalog; for configmap and internal. */
  readonly configMap?: string;
  /** What the catalog contains. */
  readonly description?: string;
  /** Name of the catalog for people. */
  readonly displayName?: string;
  /** How the Pod that serves an image is run. */
  readonly grpcPodConfig?: CatalogSourceSpecGrpcPodConfig;
  /** Icon of the catalog. */
  readonly icon?: Icon;
  /** Reference of the image with the catalog; for grpc. */
  readonly image?: string;
  /** Catalogs of a higher priority are preferred to satisfy dependencies. */
  readonly priority?: number;
  /** Publisher of the catalog. */
  readonly publisher?: string;
  /** Deprecated; has no effect. */
  readonly runAsRoot?: boolean;
  /** Names of the Secrets that the image is pulled with. */
  readonly secrets?: readonly string[];
  /** grpc, configmap or internal. */
  readonly sourceType: string;
  /** How changes of the image are found. */
  readonly updateStrategy?: CatalogSourceSpecUpdateStrategy;
}

/** How the Pod that serves an image is run. */
export interface CatalogSourceSpecGrpcPodConfig {
  /** Affinity of the Pod. */
  readonly affinity?: JsonObject;
  /** Where the image has its catalog, to serve it without running the image. */
  readonly extractContent?: CatalogSourceSpecGrpcPodConfigExtractContent;
  /** Memory that the Pod requests and that its garbage collector aims at. */
  readonly memoryTarget?: number | string;
  /** Labels of the nodes that the Pod may run on. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** PriorityClass of the Pod. */
  readonly priorityClassName?: string;
  /** Whether the Pod meets the restricted Pod security standard. If unset: restricted in namespaces that enforce it, legacy in others. */
  readonly securityContextConfig?: 'legacy' | 'restricted';
  /** Tolerations of the Pod. */
  readonly tolerations?: readonly JsonObject[];
}

/** Where the image has its catalog, to serve it without running the image. */
export interface CatalogSourceSpecGrpcPodConfigExtractContent {
  /** Directory of the image with a prepared cache. */
  readonly cacheDir?: string;
  /** Directory of the image with the catalog. */
  readonly catalogDir: string;
}

/** Icon of the catalog. */
export interface Icon {
  /** Content in base64. */
  readonly base64data: string;
  /** Media type, such as image/svg+xml. */
  readonly mediatype: string;
}

/** How changes of the image are found. */
export interface CatalogSourceSpecUpdateStrategy {
  /** The tag of the image is resolved again and again. */
  readonly registryPoll?: CatalogSourceSpecUpdateStrategyRegistryPoll;
}

/** The tag of the image is resolved again and again. */
export interface CatalogSourceSpecUpdateStrategyRegistryPoll {
  /** Time between two attempts, such as 10m. */
  readonly interval?: string;
}

/** Whether the catalog is served, and where. */
export interface CatalogSourceStatus {
  /** State of the catalog. */
  readonly conditions?: readonly Condition[];
  /** The ConfigMap that is served. */
  readonly configMapReference?: CatalogSourceStatusConfigMapReference;
  /** Connection to the registry. */
  readonly connectionState?: CatalogSourceStatusConnectionState;
  /** When the tag of the image was last resolved. */
  readonly latestImageRegistryPoll?: string;
  /** Details of the reason. */
  readonly message?: string;
  /** Why the catalog is not served, in CamelCase. */
  readonly reason?: string;
  /** Service of the registry. */
  readonly registryService?: CatalogSourceStatusRegistryService;
}

/** One aspect of the state of the object. */
export interface Condition {
  /** When the status of the condition last changed. */
  readonly lastTransitionTime: string;
  /** Details for people; may be empty. */
  readonly message: string;
  /** Generation of the object that the condition was set for. */
  readonly observedGeneration?: number;
  /** Why the condition has this status, in CamelCase. */
  readonly reason: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** Type of the condition, in CamelCase. */
  readonly type: string;
}

/** The ConfigMap that is served. */
export interface CatalogSourceStatusConfigMapReference {
  /** When it was last read. */
  readonly lastUpdateTime?: string;
  /** Name of the ConfigMap. */
  readonly name: string;
  /** Namespace of the ConfigMap. */
  readonly namespace: string;
  /** Version of the ConfigMap. */
  readonly resourceVersion?: string;
  /** UID of the ConfigMap. */
  readonly uid?: string;
}

/** Connection to the registry. */
export interface CatalogSourceStatusConnectionState {
  /** Address of the registry. */
  readonly address?: string;
  /** When the connection was last tried. */
  readonly lastConnect?: string;
  /** IDLE, CONNECTING, READY, TRANSIENT_FAILURE or SHUTDOWN. */
  readonly lastObservedState: string;
}

/** Service of the registry. */
export interface CatalogSourceStatusRegistryService {
  /** When the Service was created. */
  readonly createdAt?: string;
  /** Port of the Service. */
  readonly port?: string;
  /** Protocol of the registry. */
  readonly protocol?: string;
  /** Name of the Service. */
  readonly serviceName?: string;
  /** Namespace of the Service. */
  readonly serviceNamespace?: string;
}

/** What `parseCatalogSource` checks. */
export const catalogSourceShape: Schema = {
  "type": "object",
  "required": [
    "metadata",
    "spec"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "required": [
        "sourceType"
      ],
      "properties": {
        "address": {
          "type": "string"
        },
        "configMap": {
          "type": "string"
        },
        "description": {
          "type": "string"
        },
        "displayName": {
          "type": "string"
        },
        "grpcPodConfig": {
          "type": "object",
          "properties": {
            "affinity": {
              "type": "object"
            },
            "extractContent": {
              "type": "object",
              "required": [
                "catalogDir"
              ],
              "properties": {
                "cacheDir": {
                  "type": "string"
                },
                "catalogDir": {
                  "type": "string"
                }
              }
            },
            "memoryTarget": {
              "x-kubernetes-int-or-string": true
            },
            "nodeSelector": {
              "type": "object",
              "additionalProperties": {
                "type": "string"
              }
            },
            "priorityClassName": {
              "type": "string"
            },
            "securityContextConfig": {
              "type": "string",
              "enum": [
                "legacy",
                "restricted"
              ]
            },
            "tolerations": {
              "type": "array",
              "items": {
                "type": "object"
              }
            }
          }
        },
        "icon": {
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
        },
        "image": {
          "type": "string"
        },
        "priority": {
          "type": "integer"
        },
        "publisher": {
          "type": "string"
        },
        "runAsRoot": {
          "type": "boolean"
        },
        "secrets": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "sourceType": {
          "type": "string"
        },
        "updateStrategy": {
          "type": "object",
          "properties": {
            "registryPoll": {
              "type": "object",
              "properties": {
                "interval": {
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
            "required": [
              "lastTransitionTime",
              "message",
              "reason",
              "status",
              "type"
            ],
            "properties": {
              "lastTransitionTime": {
                "type": "string"
              },
              "message": {
                "type": "string"
              },
              "observedGeneration": {
                "type": "integer"
              },
              "reason": {
                "type": "string"
              },
              "status": {
                "type": "string",
                "enum": [
                  "True",
                  "False",
                  "Unknown"
                ]
              },
              "type": {
                "type": "string"
              }
            }
          }
        },
        "configMapReference": {
          "type": "object",
          "required": [
            "name",
            "namespace"
          ],
          "properties": {
            "lastUpdateTime": {
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
        "connectionState": {
          "type": "object",
          "required": [
            "lastObservedState"
          ],
          "properties": {
            "address": {
              "type": "string"
            },
            "lastConnect": {
              "type": "string"
            },
            "lastObservedState": {
              "type": "string"
            }
          }
        },
        "latestImageRegistryPoll": {
          "type": "string"
        },
        "message": {
          "type": "string"
        },
        "reason": {
          "type": "string"
        },
        "registryService": {
          "type": "object",
          "properties": {
            "createdAt": {
              "type": "string"
            },
            "port": {
              "type": "string"
            },
            "protocol": {
              "type": "string"
            },
            "serviceName": {
              "type": "string"
            },
            "serviceNamespace": {
              "type": "string"
            }
          }
        }
      }
    }
  }
};
