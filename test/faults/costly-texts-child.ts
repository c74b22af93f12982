/** Reads the costly texts that it is sent, one after the other, in a thread that can be ended. */
import { parentPort } from 'node:worker_threads';
import { costlyTexts } from './costly-texts.ts';

parentPort?.on('message', (name: string) => {
  costlyTexts[name]?.();
  parentPort?.postMessage('read');
});
