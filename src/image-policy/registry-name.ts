/** A registry in normalized form: case and the default port do not matter. */
export function plainRegistry(registry: string): string {
  return registry.toLowerCase().replace(/:443$/, '');
}
