/** Why a check does not pass. */
export interface CheckProblem {
  readonly message: string;
  /** It will not pass by waiting. */
  readonly isFinal?: boolean;
}
