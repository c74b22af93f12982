import type { Probe } from './probe.ts';

/** One behaviour of a Kubernetes API server: what to ask it. It expects nothing; what it saw is compared with what another server showed. */
export interface ConformanceCase {
  /** A sentence, after the ids of the checklists that it covers. Unique in its area. */
  readonly name: string;
  /** Why the embedded server shows something else, where it does so on purpose. */
  readonly differs?: string;
  /** `controllers`: kube-controller-manager or what stands in for it. */
  readonly needs?: 'controllers';
  readonly run: (api: Probe) => Promise<void>;
}

/** Cases that belong together: one file. */
export interface Area {
  readonly title: string;
  /** Cases that would see each other run one after the other. */
  readonly serial: boolean;
  readonly cases: readonly ConformanceCase[];
}

interface CaseOptions {
  readonly differs?: string;
  readonly needs?: 'controllers';
}

type Run = (api: Probe) => Promise<void>;

/** Adds a case; options come before what it does. */
export interface AddCase {
  (name: string, run: Run): void;
  (name: string, options: CaseOptions, run: Run): void;
}

/** Gathers the cases of a file. */
export function area(title: string, build: (it: AddCase) => void, options: { readonly serial?: boolean } = {}): Area {
  const cases: ConformanceCase[] = [];
  const add = (name: string, ...rest: readonly [Run] | readonly [CaseOptions, Run]): void => {
    if (cases.some((existing) => existing.name === name)) throw new Error(`${title}: two cases named "${name}"`);
    if (rest.length === 1) cases.push({ name, run: rest[0] });
    else cases.push({ name, ...rest[0], run: rest[1] });
  };
  build(add as AddCase);
  return { title, serial: options.serial ?? false, cases };
}
