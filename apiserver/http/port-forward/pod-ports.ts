/** Where a program of this machine listens. */
export interface LocalAddress {
  readonly host: string;
  readonly port: number;
}

/** Which pods have something that listens, by uid: nothing that is written in the cluster can name another address. */
export class PodPorts {
  readonly #byUid = new Map<string, ReadonlyMap<number, LocalAddress>>();

  /** Until it is disposed, connections to these ports of the pod go to the addresses. */
  register(uid: string, ports: ReadonlyMap<number, LocalAddress>): Disposable {
    this.#byUid.set(uid, ports);
    return {
      [Symbol.dispose]: () => {
        if (this.#byUid.get(uid) === ports) this.#byUid.delete(uid);
      },
    };
  }

  /** Undefined when nothing runs in the pod. */
  of(uid: string): ReadonlyMap<number, LocalAddress> | undefined {
    return this.#byUid.get(uid);
  }
}
