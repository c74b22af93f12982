/** Limits of expressions in Kubernetes, in units of cost unless stated otherwise. */
export const limits = {
  /** One evaluation of one expression. */
  perCall: 1_000_000,
  /** All rules on one object, and all expressions of one policy. */
  perObject: 10_000_000,
  /** What a rule of a CRD may cost by its schema. */
  staticRule: 10_000_000,
  /** What all rules of a version of a CRD may cost together. */
  staticSchema: 100_000_000,
  /** Size of a request, from which sizes without a declared maximum are estimated. */
  requestBytes: 3_145_728,
  /** Size of what a message expression gives. */
  messageBytes: 5120,
} as const;
