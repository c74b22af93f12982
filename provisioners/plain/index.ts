/** What is particular to the provisioner for plain+v0 bundles. */
import { plainProvisionerClass } from '../../src/api/index.ts';

/** Objects are applied as they stand in the bundle: no conversion, no values. */
export const plainProvisioner: { readonly provisionerClassName: string } = {
  provisionerClassName: plainProvisionerClass,
};
