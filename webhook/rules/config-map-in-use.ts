import { allowed, type ConfigMapRule, deny } from './rule.ts';

/** A ConfigMap is not deleted while a Bundle names it, whatever the Bundle's type. */
export const configMapInUse: ConfigMapRule = ({ operation, name, bundles }) => {
  if (operation !== 'DELETE') return allowed;
  const user = bundles.find(({ source }) => source.configMaps?.some((entry) => entry.configMap.name === name));
  return user === undefined ? allowed : deny(`configmap "${name}" is in-use by bundle "${user.name}"`);
};
