import { expect, test } from 'vitest';
import { eventually, SteppedClock } from '../../test/support/index.ts';
import { silentLogger, TransientError } from '../base/index.ts';
import type { KubeClient } from '../kube/index.ts';
import { KindWatches } from './kind-watches.ts';

const gadgets = { apiVersion: 'acme.example/v1', kind: 'Gadget' };

test('the wait for a kind whose objects cannot be listed ends, and the reason is reported', async () => {
  const clock = new SteppedClock(0);
  const stopper = new AbortController();
  let lists = 0;
  function listPages(): never {
    lists += 1;
    throw new TransientError('InternalError', 'conversion webhook for acme.example/v2, Kind=Gadget failed');
  }
  const kube = { listPages } as unknown as KubeClient;
  const watches = new KindWatches({
    kube,
    clock,
    log: silentLogger(),
    signal: stopper.signal,
    onChange: () => undefined,
    onListed: () => undefined,
  });
  const ensured = watches.ensure([gadgets]).then(
    () => 'listed',
    (thrown: Error) => thrown.message,
  );
  await eventually(() => expect(lists).toBeGreaterThan(0));
  await clock.pass(30_000);
  await expect(ensured).resolves.toContain(
    'Gadget objects could not be listed for 30 s, so the installed ones are unknown: conversion webhook for',
  );
  const before = lists;
  // It is asked for again all the while.
  await eventually(async () => {
    await clock.pass(30_000);
    expect(lists).toBeGreaterThan(before);
  });
  stopper.abort();
});
