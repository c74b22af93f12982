// Generated from crds/olm.operatorframework.io_clustercatalogs.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** A catalog of operators, unpacked from an image and served to the whole cluster. */
export interface ClusterCatalog {
  readonly apiVersion: 'olm.operatorframework.io/v1';
  readonly kind: 'ClusterCatalog';
  readonly metadata: ObjectMeta;
  /** Where the catalog comes from, and whether and before which others it is used. */
  readonly spec: ClusterCatalogSpec;
  /** What was found, and what is served. */
  readonly status?: ClusterCatalogStatus;
}

/** Where the catalog comes from, and whether and before which others it is used. */
export interface ClusterCatalogSpec {
  /** Where the catalog comes from. */
  readonly source: ClusterCatalogSpecSource;
  /** Of catalogs that have a package, the one with the higher priority is preferred. */
  readonly priority?: number;
  /** Whether the catalog is served and chosen from. When it is not, its content is removed. */
  readonly availabilityMode?: 'Available' | 'Unavailable';
}

/** Where the catalog comes from. */
export interface ClusterCatalogSpecSource {
  /** Kind of source. */
  readonly type: 'Image';
  /** An image whose label operators.operatorframework.io.index.configs.v1 names the directory of the catalog. */
  readonly image?: ClusterCatalogSpecSourceImage;
}

/** An image whose label operators.operatorframework.io.index.configs.v1 names the directory of the catalog. */
export interface ClusterCatalogSpecSourceImage {
  /** Reference of the image, by tag or by digest. */
  readonly ref: string;
  /** After how many minutes a tag is looked at again. Without it only a change of this object leads to another look. */
  readonly pollIntervalMinutes?: number;
}

/** What was found, and what is served. */
export interface ClusterCatalogStatus {
  /** What is known of the catalog. */
  readonly conditions?: readonly ClusterCatalogStatusCondition[];
  /** What is served. */
  readonly resolvedSource?: ClusterCatalogStatusResolvedSource;
  /** Where the catalog is served. */
  readonly urls?: ClusterCatalogStatusUrls;
  /** When the content that is served was unpacked. */
  readonly lastUnpacked?: string;
}

export interface ClusterCatalogStatusCondition {
  /** Serving, Progressing or Valid. */
  readonly type: string;
  /** Whether the condition holds. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** The generation that this was found for. */
  readonly observedGeneration?: number;
  /** When the status changed last. */
  readonly lastTransitionTime: string;
  /** Why, in one word. */
  readonly reason: string;
  /** Why, for a person. */
  readonly message: string;
}

/** What is served. */
export interface ClusterCatalogStatusResolvedSource {
  /** Kind of source. */
  readonly type: 'Image';
  /** The image whose content is served. */
  readonly image: ClusterCatalogStatusResolvedSourceImage;
}

/** The image whose content is served. */
export interface ClusterCatalogStatusResolvedSourceImage {
  /** Reference of the image, by digest. */
  readonly ref: string;
}

/** Where the catalog is served. */
export interface ClusterCatalogStatusUrls {
  /** Start of the addresses of the catalog; /api/v1/all has everything. */
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
