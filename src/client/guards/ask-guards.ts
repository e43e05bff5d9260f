import type { PreparedCall } from '../call/call.js';
import { SendBlockedError, SendGuardError } from '../errors/no-response-errors.js';
import { cleanCopy, factsOf } from '../errors/request-error.js';

/**
 * Asks the guards of the client one after the other.
 *
 * @throws {SendBlockedError} when one of them holds the message back.
 * @throws {SendGuardError} when one of them fails.
 */
export async function askGuards({ settings, call, body = '{}', deadline }: PreparedCall): Promise<void> {
  const { guards, redact } = settings;
  const { name: operation } = call.operation;
  for (const guard of guards) {
    const ask = async () => {
      // What the request contains, and a copy for each guard.
      const { phone, templateId } = JSON.parse(body);
      const response: unknown = await guard.check({ phone, templateId });
      if (response === undefined || (typeof response === 'string' && response.trim() !== '')) return response;
      throw new TypeError('check must return a reason that is not empty, or undefined');
    };
    const reason = await deadline.bound(ask()).catch((thrown) => {
      deadline.signal.throwIfAborted();
      const cause = cleanCopy(thrown, redact);
      const message = `${operation} made no request, because a guard failed (${cause.message}). Nothing was sent.`;
      throw new SendGuardError(message, { ...factsOf(call, true), cause });
    });
    if (reason !== undefined) throw new SendBlockedError(operation, redact(reason).slice(0, 200));
  }
}
