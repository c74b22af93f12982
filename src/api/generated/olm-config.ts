// Generated from scripts/olm-crds/olmconfigs.yaml by scripts/generate-api-types.ts: do not edit.
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** Settings of OLM. Only the object named cluster is read. */
export interface OLMConfig {
  readonly apiVersion: 'operators.coreos.com/v1';
  readonly kind: 'OLMConfig';
  readonly metadata: ObjectMeta;
  /** The settings. */
  readonly spec?: OLMConfigSpec;
  /** Whether the settings are in force. */
  readonly status?: OLMConfigStatus;
}

/** The settings. */
export interface OLMConfigSpec {
  /** Features that can be switched. */
  readonly features?: OLMConfigSpecFeatures;
}

/** Features that can be switched. */
export interface OLMConfigSpecFeatures {
  /** Whether ClusterServiceVersions of global OperatorGroups are no longer copied into every namespace. */
  readonly disableCopiedCSVs?: boolean;
  /** Time between two reads of all catalogs for PackageManifests, such as 12h. */
  readonly packageServerSyncInterval?: string;
}

/** Whether the settings are in force. */
export interface OLMConfigStatus {
  /** State of the features. */
  readonly conditions?: readonly Condition[];
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

/** What `parseOLMConfig` checks. */
export const olmConfigShape: Schema = {
  "type": "object",
  "required": [
    "metadata"
  ],
  "properties": {
    "spec": {
      "type": "object",
      "properties": {
        "features": {
          "type": "object",
          "properties": {
            "disableCopiedCSVs": {
              "type": "boolean"
            },
            "packageServerSyncInterval": {
              "type": "string"
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
        }
      }
    }
  }
};
