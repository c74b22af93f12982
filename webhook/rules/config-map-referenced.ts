import { allowed, type ConfigMapRule, deny } from './rule.ts';

/** A ConfigMap that Bundles already wait for is created immutable. */
export const configMapReferenced: ConfigMapRule = ({ operation, configMap, name, bundles }) => {
  if (operation !== 'CREATE' || configMap.immutable === true) return allowed;
  const users = bundles.filter(
    ({ source }) => source.type === 'configMaps' && source.configMaps?.some((entry) => entry.configMap.name === name),
  );
  if (users.length === 0) return allowed;
  return deny(
    `configmap "${name}" is referenced in .spec.source.configMaps[].configMap.name by bundles ` +
      `[${users.map((bundle) => bundle.name).join(' ')}]; referenced configmaps must have .immutable == true`,
  );
};
