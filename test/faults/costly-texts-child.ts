/** Reads the costly text that `workerData` names, in a thread that can be ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { costlyTexts } from './costly-texts.ts';

costlyTexts[workerData as string]?.();
parentPort?.postMessage('read');
