/** An entry of `status.conditions`, with its closed sets of types and reasons. `lastTransitionTime` is RFC 3339 in whole seconds. */
export interface Condition<Type extends string = string, Reason extends string = string> {
  readonly type: Type;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}
