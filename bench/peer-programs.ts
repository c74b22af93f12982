import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Another program, or several in turn, that does the same work. */
export interface PeerProgram {
  readonly name: string;
  /** Does the work in the empty folder `dir`. */
  readonly work: (dir: string) => Promise<void>;
}

async function isThere(program: string): Promise<boolean> {
  try {
    await run(program, ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** The peer, or the program to install for it. */
async function whereInstalled(programs: readonly string[], peer: PeerProgram): Promise<PeerProgram | string> {
  for (const program of programs) if (!(await isThere(program))) return `the program ${program} is not installed`;
  return peer;
}

/** `skopeo copy` from the registry to a folder, and `umoci unpack` from there. */
export async function imageTools(reference: string): Promise<PeerProgram | string> {
  return await whereInstalled(['skopeo', 'umoci'], {
    name: 'skopeo copy, umoci unpack',
    work: async (dir) => {
      const layout = join(dir, 'image');
      const source = ['--src-tls-verify=false', `docker://${reference}`];
      await run('skopeo', ['--insecure-policy', 'copy', '--quiet', ...source, `oci:${layout}:bench`]);
      await run('umoci', ['unpack', '--rootless', '--image', `${layout}:bench`, join(dir, 'bundle')]);
    },
  });
}

/** `git clone --depth 1`. */
export async function gitProgram(repository: string): Promise<PeerProgram | string> {
  return await whereInstalled(['git'], {
    name: 'git clone --depth 1',
    work: async (dir) => {
      await run('git', ['clone', '--quiet', '--depth', '1', repository, join(dir, 'clone')]);
    },
  });
}
