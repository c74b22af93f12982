/** Compares `opm serve` with `longshore catalog serve`: the same requests by the same client. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { type Load, loadRegistry } from './grpc-load.ts';
import { type Measurement, median } from './table.ts';

const clients = 16;
const callsOfEach = 1000;
const rounds = 5;
const startDeadlineMs = 180_000;
/** Ticks per second in /proc; the same on every Linux. */
const clockTicksPerSecond = 100;

async function call(client: Client, method: string, request: Buffer): Promise<void> {
  const bytes = (message: Buffer): Buffer => message;
  const answer = client.makeServerStreamRequest(`/api.Registry/${method}`, bytes, bytes, request, new Metadata());
  for await (const _ of answer);
}

/** GetPackage by 16 clients at a time, each with a connection of its own. */
async function load(port: number, names: readonly string[]): Promise<Load> {
  const messages = names.map((text) => {
    const name = Buffer.from(text);
    return Buffer.concat([Buffer.of(10, name.length), name]);
  });
  return await loadRegistry(port, '/api.Registry/GetPackage', {
    clients,
    callsOfEach,
    messageOf: (client, index) => messages[(client + index * 7) % messages.length] ?? Buffer.alloc(0),
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function untilReady(program: ChildProcess, port: number): Promise<boolean> {
  const deadlineMs = Date.now() + startDeadlineMs;
  while (program.exitCode === null && Date.now() < deadlineMs) {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const isReady = await call(client, 'ListPackages', Buffer.alloc(0)).then(
      () => true,
      () => false,
    );
    client.close();
    if (isReady) return true;
    await delay(200);
  }
  return false;
}

/** Seconds of processor time that a process has used; NaN if unknown. */
function processorSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond;
  } catch {
    return Number.NaN;
  }
}

/** A server under load. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly pid: number | undefined;
}

interface Round extends Load {
  readonly microsecondsPerCall: number;
}

async function measure({ port, pid }: Subject, names: readonly string[]): Promise<Round> {
  const before = processorSeconds(pid);
  const measured = await load(port, names);
  const microsecondsPerCall = ((processorSeconds(pid) - before) * 1e6) / (clients * callsOfEach);
  return { ...measured, microsecondsPerCall };
}

const members = ['callsPerSecond', 'p99Ms', 'microsecondsPerCall'] as const;

function medianOf(measured: readonly Round[]): Round {
  const [callsPerSecond = 0, p99Ms = 0, microsecondsPerCall = 0] = members.map((member) =>
    median(measured.map((round) => round[member])),
  );
  return { callsPerSecond, p99Ms, microsecondsPerCall };
}

function roundText(name: string, { callsPerSecond, p99Ms, microsecondsPerCall }: Round): string {
  return `${name} ${Math.round(callsPerSecond)}/s, p99 ${p99Ms.toFixed(1)} ms, ${Math.round(microsecondsPerCall)} µs of processor time a call`;
}

function ratiosOf(what: string, own: Round, theirs: Round): Measurement[] {
  const [throughput, p99, time] = members.map((member) => own[member] / theirs[member]);
  if (throughput === undefined || p99 === undefined || time === undefined) return [];
  return [
    { what: `${what}: throughput, ratio`, value: throughput.toFixed(2), goal: 'at least 1.5', ratio: throughput },
    { what: `${what}: p99, ratio`, value: p99.toFixed(2), goal: 'at most 1', ratio: 1 / p99 },
    { what: `${what}: processor time, ratio`, value: time.toFixed(2), ratio: 1 / time },
  ];
}

/** Servers of ours and opm in turn on one catalog, after a warm-up round; the medians. */
export async function peerMeasurements(
  dir: string,
  ours: readonly Subject[],
  names: readonly string[],
): Promise<Measurement[]> {
  const what = `GetPackage by ${clients} clients, beside opm serve`;
  const port = await freePort();
  const opm = spawn('opm', ['serve', dir, '--port', String(port)], { stdio: 'ignore' });
  const failed = new Promise<false>((resolve) => {
    opm.once('error', () => resolve(false));
  });
  if (!(await Promise.race([untilReady(opm, port), failed]))) {
    opm.kill('SIGTERM');
    return [{ what, value: 'skipped: the program opm is not installed, or does not serve the catalog' }];
  }
  try {
    const subjects = [...ours, { name: 'opm', port, pid: opm.pid }];
    const measured: Round[] = [];
    for (let turn = 0; turn < (rounds + 1) * subjects.length; turn += 1) {
      const subject = subjects[turn % subjects.length];
      if (subject !== undefined) measured.push(await measure(subject, names));
    }
    const counted = measured.slice(subjects.length);
    const results = subjects.map(({ name }, index) => ({
      name,
      round: medianOf(counted.filter((_, turn) => turn % subjects.length === index)),
    }));
    const theirs = results.at(-1);
    if (theirs === undefined) return [];
    return [
      { what, value: results.map(({ name, round }) => roundText(name, round)).join('; ') },
      ...results.slice(0, -1).flatMap(({ name, round }) => ratiosOf(`${what}: ${name}`, round, theirs.round)),
    ];
  } finally {
    opm.kill('SIGTERM');
    await once(opm, 'exit');
  }
}
