import type { Machine } from '../../../api/index.ts';
import type { JsonObject } from '../../../base/index.ts';
import type { Actuator, ActuatorCall, Instance } from '../../actuator.ts';
import { existenceOf, instanceOf, type Operation, readAnswer, requestText } from './protocol.ts';

/** Sends a request to a provider and returns its answer, within the limits of the protocol. */
export type Ask = (request: string, call: ActuatorCall) => Promise<string>;

/** A provider outside of this process.
 *  @see docs/actuators.md */
export class ExternalProvider implements Actuator {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async #do(operation: Operation, machine: Machine, call: ActuatorCall): Promise<JsonObject> {
    return readAnswer(await this.#ask(requestText(operation, machine), call));
  }

  async create(machine: Machine, call: ActuatorCall): Promise<Instance> {
    return instanceOf(await this.#do('create', machine, call));
  }

  async update(machine: Machine, call: ActuatorCall): Promise<Instance> {
    return instanceOf(await this.#do('update', machine, call));
  }

  async delete(machine: Machine, call: ActuatorCall): Promise<void> {
    await this.#do('delete', machine, call);
  }

  async exists(machine: Machine, call: ActuatorCall): Promise<boolean> {
    return existenceOf(await this.#do('exists', machine, call));
  }
}
