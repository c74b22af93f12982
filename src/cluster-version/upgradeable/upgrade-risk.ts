/** Why a cluster should not be updated to another minor or major version. */
export interface UpgradeRisk {
  readonly name: string;
  readonly message: string;
}
