/** Work in steps, each of which may take long: between them others may have a turn. */
export type Steps<T> = Generator<undefined, T>;

/** Does all steps without a turn for others. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does the steps one by one, with what `takeTurn` answers awaited between them. */
export async function inTurns<T>(steps: Steps<T>, takeTurn?: () => Promise<void> | undefined): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await takeTurn?.();
  }
}
