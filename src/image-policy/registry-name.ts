/** A registry as rules are held against it: the same host in other letters, or with the port that is meant anyway, is no other registry. */
export function plainRegistry(registry: string): string {
  return registry.toLowerCase().replace(/:443$/, '');
}
