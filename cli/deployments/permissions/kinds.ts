/** A kind as the rules of roles name it. */
export interface KnownKind {
  readonly plural: string;
  readonly isNamespaced: boolean;
}

/** Kubernetes' own kinds by `apiVersion Kind`. */
export async function kubernetesKinds(): Promise<ReadonlyMap<string, KnownKind>> {
  const { builtinResourceTypes } = await import('../../../apiserver/index.ts');
  return new Map(
    builtinResourceTypes().map(({ group, version, kind, plural, namespaced }) => {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      return [`${apiVersion} ${kind}`, { plural, isNamespaced: namespaced }];
    }),
  );
}
