import type { MachineHook } from '../hook/definition.ts';

const target = { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment' } as const;
const mostShown = 3;

/** The instance ends when no VolumeAttachment names its node.
 *  @see docs/spec/machine-lifecycle.md#53-uses-named-by-the-hook-chapter */
export const volumeDetachHook: MachineHook = {
  stage: 'preTerminate',
  name: 'hooks.platform/VolumeDetach',
  owner: 'longshore/volume-detach',
  work: async ({ node }, { api }) => {
    if (node === undefined) return undefined;
    const all = await api.list(target);
    const attached = all.filter(({ spec }) => (spec as { nodeName?: string } | undefined)?.nodeName === node);
    if (attached.length === 0) return undefined;
    const shown = attached.slice(0, mostShown).map(({ metadata }) => metadata.name ?? '');
    const others = attached.length > mostShown ? ` and ${attached.length - mostShown} others` : '';
    return { waitSeconds: 5, message: `volumes are attached to node ${node}: ${shown.join(', ')}${others}` };
  },
};
