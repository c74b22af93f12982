// Generated from crds/olm.operatorframework.io_clustercatalogs.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** A catalog of operators, unpacked from an image and served to the whole cluster. */
export interface ClusterCatalog {
  readonly apiVersion: 'olm.operatorframework.io/v1';
  readonly kind: 'ClusterCatalog';
  readonly metadata: ObjectMeta;
  /** Source, priority and availability of the catalog. */
  readonly spec: ClusterCatalogSpec;
  /** Observed state of the catalog. */
  readonly status?: ClusterCatalogStatus;
}

/** Source, priority and availability of the catalog. */
export interface ClusterCatalogSpec {
  /** Source of the catalog. */
  readonly source: ClusterCatalogSpecSource;
  /** Of several catalogs that have a package, the one with the highest priority is preferred. */
  readonly priority?: number;
  /** Whether the catalog is served and used for resolution. The content of an unavailable catalog is removed. */
  readonly availabilityMode?: 'Available' | 'Unavailable';
}

/** Source of the catalog. */
export interface ClusterCatalogSpecSource {
  /** Type of the source. */
  readonly type: 'Image';
  /** An image whose label operators.operatorframework.io.index.configs.v1 names the directory of the catalog. */
  readonly image?: ClusterCatalogSpecSourceImage;
}

/** An image whose label operators.operatorframework.io.index.configs.v1 names the directory of the catalog. */
export interface ClusterCatalogSpecSourceImage {
  /** Reference of the image, by tag or by digest. */
  readonly ref: string;
  /** Interval in minutes at which a tag is polled. If unset, it is resolved again only when this object changes. */
  readonly pollIntervalMinutes?: number;
}

/** Observed state of the catalog. */
export interface ClusterCatalogStatus {
  /** Conditions of the catalog, one per type. */
  readonly conditions?: readonly ClusterCatalogStatusCondition[];
  /** Source of the served content. */
  readonly resolvedSource?: ClusterCatalogStatusResolvedSource;
  /** Addresses of the catalog. */
  readonly urls?: ClusterCatalogStatusUrls;
  /** Time when the served content was unpacked. */
  readonly lastUnpacked?: string;
}

export interface ClusterCatalogStatusCondition {
  /** Serving, Progressing or Valid. */
  readonly type: string;
  /** Status of the condition. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** Generation that the condition was observed for. */
  readonly observedGeneration?: number;
  /** Time of the last change of the status. */
  readonly lastTransitionTime: string;
  /** Reason in CamelCase, for programs. */
  readonly reason: string;
  /** Message for users. */
  readonly message: string;
}

/** Source of the served content. */
export interface ClusterCatalogStatusResolvedSource {
  /** Type of the source. */
  readonly type: 'Image';
  /** Image of the served content. */
  readonly image: ClusterCatalogStatusResolvedSourceImage;
}

/** Image of the served content. */
export interface ClusterCatalogStatusResolvedSourceImage {
  /** Reference of the image, by digest. */
  readonly ref: string;
}

/** Addresses of the catalog. */
export interface ClusterCatalogStatusUrls {
  /** Base URL of the catalog; /api/v1/all serves all of its content. */
  readonly base: string;
}

/** What `parseClusterCatalog` checks. */
export const clusterCatalogShape: Schema = {
  "type": "object",
  "required": [
    "spec"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "required": [
        "source"
      ],
      "properties": {
        "source": {
          "type": "object",
          "required": [
            "type"
          ],
          "properties": {
            "type": {
              "type": "string",
              "enum": [
                "Image"
              ]
            },
            "image": {
              "type": "object",
              "required": [
                "ref"
              ],
              "properties": {
                "ref": {
                  "type": "string"
                },
                "pollIntervalMinutes": {
                  "type": "integer"
                }
              }
            }
          }
        },
        "priority": {
          "type": "integer"
        },
        "availabilityMode": {
          "type": "string",
          "enum": [
            "Available",
            "Unavailable"
          ]
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
              "type": {
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
              "observedGeneration": {
                "type": "integer"
              },
              "lastTransitionTime": {
                "type": "string"
              },
              "reason": {
                "type": "string"
              },
              "message": {
                "type": "string"
              }
            }
          }
        },
        "resolvedSource": {
          "type": "object",
          "required": [
            "type",
            "image"
          ],
          "properties": {
            "type": {
              "type": "string",
              "enum": [
                "Image"
              ]
            },
            "image": {
              "type": "object",
              "required": [
                "ref"
              ],
              "properties": {
                "ref": {
                  "type": "string"
                }
              }
            }
          }
        },
        "urls": {
          "type": "object",
          "required": [
            "base"
          ],
          "properties": {
            "base": {
              "type": "string"
            }
          }
        },
        "lastUnpacked": {
          "type": "string"
        }
      }
    }
  }
};
