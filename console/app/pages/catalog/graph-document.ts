/** The update graph of a package, laid out by `longshore catalog graph -o json`. */
export interface GraphDocument {
  readonly package: string;
  readonly defaultChannel: string;
  readonly installed?: string;
  readonly channels: readonly GraphChannel[];
  readonly path: readonly {
    readonly from: string;
    readonly to: string;
    readonly channel: string;
    readonly reason: string;
  }[];
  readonly end: readonly string[];
}

/** A bundle of a channel, on a row of its own. */
export interface GraphRow {
  readonly name: string;
  readonly label: string;
  readonly kind: 'head' | 'stop' | 'skipped' | 'stranded' | 'elsewhere' | 'absent';
  readonly column: 0 | 1;
  readonly skipRange?: string;
  readonly deprecation?: string;
  readonly isInstalled: boolean;
  readonly isTarget: boolean;
  readonly isOnPath: boolean;
}

/** A channel, the newest on top. */
export interface GraphChannel {
  readonly name: string;
  readonly isDefault: boolean;
  readonly deprecation?: string;
  readonly rows: readonly GraphRow[];
  readonly straights: readonly {
    readonly kind: string;
    readonly column: number;
    readonly top: number;
    readonly bottom: number;
  }[];
  readonly tracks: readonly {
    readonly kind: string;
    readonly to: readonly number[];
    readonly from: readonly number[];
    readonly lane: number;
  }[];
  readonly lanes: number;
  readonly edges: readonly { readonly kind: string; readonly from: string; readonly to: string }[];
}
