import { join } from 'node:path';
import { errorMessage } from '../../../src/base/index.ts';
import { SeededRandom } from '../../conformance/random.ts';
import { addApiFaults, endWatchesNowAndThen } from '../model/api-faults.ts';
import { makeAccount } from './account.ts';
import { spawnControllers } from './controllers-process.ts';
import type { Journey } from './journeys.ts';
import { openStage, Trip } from './stage.ts';

/** Journeys while one request of the controllers in ten fails, and watches end; what is wrong afterwards. */
export async function travelFaulty(
  journey: Journey,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<readonly string[]> {
  await using stage = await openStage();
  const { user, kubeconfigPath } = await makeAccount(stage);
  await using controllers = spawnControllers({ kubeconfigPath, folder: join(stage.folder, 'controllers') });
  await controllers.ready;
  await using usual = await Trip.prepare(stage, journey, 'usual');
  await usual.travel();
  await usual.whenQuiet();
  const expected = usual.objects();
  await usual.remove();
  const random = new SeededRandom(seed);
  for (let trips = 1; trips <= count; trips += 1) {
    await using trip = await Trip.prepare(stage, journey, `faulty${trips}`);
    const stop = new AbortController();
    const ending = endWatchesNowAndThen(stage.server.faults, random, { signal: stop.signal, user });
    try {
      {
        using _faults = addApiFaults(stage.server.faults, random, user);
        await trip.travel();
      }
      stop.abort();
      await ending;
      await trip.assertEnd(expected);
      await trip.remove();
    } catch (thrown) {
      stop.abort();
      return [`${journey.name}, seed ${seed}, journey ${trips}: ${errorMessage(thrown)}\n${controllers.complaints()}`];
    }
  }
  return [];
}
