// Generated from crds/machines/machineconfiguration.openshift.io_machineconfigs.yaml by scripts/generate-api-types.ts: do not edit.
import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ObjectMeta } from '../object-meta.ts';

/** A piece of the configuration of nodes, or the rendered configuration of a pool. */
export interface MachineConfig {
  readonly apiVersion: 'machineconfiguration.openshift.io/v1';
  readonly kind: 'MachineConfig';
  readonly metadata: ObjectMeta;
  /** The configuration. */
  readonly spec?: MachineConfigSpec;
}

/** The configuration. */
export interface MachineConfigSpec {
  /** Image with extensions of the operating system. */
  readonly baseOSExtensionsContainerImage?: string;
  /** Files and systemd units, as Ignition 3 describes them. */
  readonly config?: JsonObject;
  /** Extensions of the operating system. */
  readonly extensions?: readonly string[];
  /** Whether FIPS mode is on. */
  readonly fips?: boolean;
  /** Arguments that are added to those of the kernel. */
  readonly kernelArguments?: readonly string[] | null;
  /** default, realtime or 64k-pages. */
  readonly kernelType?: string;
  /** Version of the kubelet. Not in OpenShift. A pool is not updated to one that is newer than the API server. */
  readonly kubernetesVersion?: string;
  /** What a change of a file or unit needs on nodes. Without a rule, the node is drained and restarted. Not in OpenShift. */
  readonly nodeDisruption?: readonly NodeDisruption[];
  /** Image of the operating system. */
  readonly osImageURL?: string;
}

/** A rule for a file, or for a unit. */
export interface NodeDisruption {
  /** Path of a file, or of a folder with its files. */
  readonly path?: string;
  /** Name of a unit. */
  readonly unit?: string;
  /** What is done, in this order. */
  readonly actions: readonly DisruptionAction[];
}

/** An action. */
export interface DisruptionAction {
  /** What is done. */
  readonly type: 'None' | 'Drain' | 'DaemonReload' | 'Reload' | 'Restart' | 'Reboot';
  /** Unit that is reloaded or restarted. */
  readonly unit?: string;
}

/** What `parseMachineConfig` checks. */
export const machineConfigShape: Schema = {
  "type": "object",
  "properties": {
    "spec": {
      "type": "object",
      "properties": {
        "baseOSExtensionsContainerImage": {
          "type": "string"
        },
        "config": {
          "type": "object"
        },
        "extensions": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "fips": {
          "type": "boolean"
        },
        "kernelArguments": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "nullable": true
        },
        "kernelType": {
          "type": "string"
        },
        "kubernetesVersion": {
          "type": "string"
        },
        "nodeDisruption": {
          "type": "array",
          "items": {
            "type": "object",
            "required": [
              "actions"
            ],
            "properties": {
              "path": {
                "type": "string"
              },
              "unit": {
                "type": "string"
              },
              "actions": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": [
                    "type"
                  ],
                  "properties": {
                    "type": {
                      "type": "string",
                      "enum": [
                        "None",
                        "Drain",
                        "DaemonReload",
                        "Reload",
                        "Restart",
                        "Reboot"
                      ]
                    },
                    "unit": {
                      "type": "string"
                    }
                  }
                }
              }
            }
          }
        },
        "osImageURL": {
          "type": "string"
        }
      }
    }
  }
};
