import { TerminalError } from '../../base/index.ts';
import type { KubeObject } from '../../kube/index.ts';

/** A reader that returns undefined where `parse` refuses the object, as an earlier definition may have let it in. */
export function readable<T>(parse: (raw: unknown) => T): (object: KubeObject) => T | undefined {
  return (object) => {
    try {
      return parse(object);
    } catch (thrown) {
      if (thrown instanceof TerminalError) return undefined;
      throw thrown;
    }
  };
}
