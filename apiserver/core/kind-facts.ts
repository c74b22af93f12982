/** How often a kind of its own asks the rules for metadata again in an update, after those that hold for every object. */
export interface MetadataChecks {
  /** The rules for the step from the old object to the new. */
  readonly step: boolean;
  /** How often the rules for new objects. */
  readonly asNew: 0 | 1 | 2;
}

/** What kube-apiserver does differently for one built-in kind, beside its rules: seen, not documented. */
export interface KindFacts {
  /** PUT of an absent object creates it. */
  readonly allowsCreateOnUpdate: boolean;
  /** PUT without resourceVersion is allowed. */
  readonly allowsUnconditionalUpdate: boolean;
  /** DELETE answers with the object instead of a Status. */
  readonly answersDeleteWithObject: boolean;
  readonly metadataChecks: MetadataChecks;
}
