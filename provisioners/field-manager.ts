/** Field manager of the provisioners' own writes to Bundles and BundleDeployments. */
export const fieldManager = 'longshore';
