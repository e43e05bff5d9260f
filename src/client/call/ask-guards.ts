import { steersFramework } from '../../foundation/steering.js';
import { SendBlockedError, SendGuardError } from '../errors/no-response-errors.js';
import { cleanCopy, describeOutcome, factsOf, noRequest } from '../errors/request-error.js';
import type { Step } from './step.js';

/**
 * Asks the guards of the client one after the other, before each request of a send: who opts out while the call waits gets no message.
 *
 * @throws {SendBlockedError} when one of them holds the message back.
 * @throws {SendGuardError} when one of them fails.
 */
export const askGuards: Step = async (request, passOn, { call, settings }) => {
  const { guards, redact } = settings;
  for (const guard of guards) {
    const ask = async () => {
      // What the request contains, and a copy for each guard.
      const { phone, templateId } = JSON.parse(request.body ?? '{}');
      const response: unknown = await guard.check({ phone, templateId });
      if (response === undefined || (typeof response === 'string' && response.trim() !== '')) return response;
      throw new TypeError('check must return a reason that is not empty, or undefined');
    };
    const reason = await ask().catch((thrown: unknown) => {
      if (steersFramework(thrown)) throw thrown;
      const facts = factsOf(call, true);
      const cause = cleanCopy(thrown, redact);
      const message = `${facts.operation} ${noRequest(facts)}, because a guard failed (${cause.message}). ${describeOutcome(facts)}`;
      throw new SendGuardError(message, { ...facts, cause });
    });
    if (reason !== undefined) {
      const { operation, outcome, attempts } = factsOf(call, false);
      throw new SendBlockedError(operation, redact(reason).slice(0, 200), { outcome, attempts });
    }
  }
  return passOn(request);
};
