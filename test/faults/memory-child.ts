import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { openMemoryCgroup } from './memory-cgroup.ts';

/** What a child that is measured prints. */
export interface ChildReport {
  /** A line of each thing that it did. */
  readonly outcomes: readonly string[];
  /** The most memory that the process had. */
  readonly peakMebibytes: number;
  /** The most that its folder had. */
  readonly peakDiskMebibytes: number;
}

export interface MeasuredReport extends ChildReport {
  /** Of the control group with that limit that it ran in; or why there was none. */
  readonly group: { readonly peakMebibytes: number } | { readonly missing: string };
}

/** Runs a file of this folder with a task, in a control group with a limit where this machine lets us.
 *  @throws Error when it does not end by itself, with what it wrote */
export async function runMeasured(file: string, task: object, limitMebibytes: number): Promise<MeasuredReport> {
  const group = await openMemoryCgroup(limitMebibytes * 1024 * 1024);
  await using _ = 'missing' in group ? undefined : group;
  const script = new URL(file, import.meta.url).pathname;
  const command = [...('missing' in group ? [] : group.inside), process.execPath, script, JSON.stringify(task)];
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const measured = 'missing' in group ? group : await group.read();
  if (child.exitCode !== 0 || ('kills' in measured && measured.kills > 0)) {
    throw new Error(
      `${file} ended with ${child.exitCode ?? child.signalCode} (${JSON.stringify(measured)}): ${errors.slice(-2000)}`,
    );
  }
  return { ...(JSON.parse(output) as ChildReport), group: measured };
}
