import { styleText } from 'node:util';
import { openKube, readAccess } from '../../client/index.ts';
import type { kubeconfigOption, OptionValues, outputOption } from '../../command/index.ts';
import { type Diagnosis, examine, worstOf } from '../examination.ts';
import type { Level } from '../finding.ts';
import type { doctorOptions } from '../options.ts';

type Values = OptionValues<typeof kubeconfigOption & typeof doctorOptions & typeof outputOption>;

const exitStatus: Readonly<Record<Level, number>> = { ok: 0, warn: 1, fail: 2 };
const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function lineOf({ level, check, what, advice }: Diagnosis): string {
  const mark = styleText(colours[level], level.padEnd(4), { stream: process.stdout });
  const hint = advice === undefined ? '' : `\n      what to do: ${advice}`;
  return `${mark}  ${check}: ${what}${hint}\n`;
}

/** `longshore doctor`: 0 when all is well, 1 when something should be looked at, 2 when something does not work. */
export async function doctor(values: Values): Promise<number> {
  const isJson = values.output === 'json';
  const { server } = await readAccess(values);
  using kube = await openKube(values);
  const findings = await examine({
    kube,
    server,
    systemNamespace: values['system-namespace'],
    stuckMs: values['stuck-after'],
    now: Date.now,
    onDiagnosis: (diagnosis) => {
      if (!isJson) process.stdout.write(lineOf(diagnosis));
    },
  });
  const level = worstOf(findings);
  if (isJson) process.stdout.write(`${JSON.stringify({ level, findings })}\n`);
  return exitStatus[level];
}
