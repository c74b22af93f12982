/** From this version on webhook configurations have match conditions. */
export const oldestKubernetes = '1.28';
const oldestMinor = 28;

/** Whether an API server of this version (`v1.33.1`) is older than Longshore requires; a version that cannot be read is not. */
export function isTooOld(version: string): boolean {
  const [, major = '1', minor = String(oldestMinor)] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) < 2 && Number(minor) < oldestMinor;
}
