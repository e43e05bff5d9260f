import { checkArgument, hasMethods, type OptionCheck } from '../../foundation/options.js';

const aReceiver: OptionCheck = [hasMethods('receive'), 'the receiver that createWebhookReceiver returns'];

/**
 * Checks what an adapter was given: with anything else, such as the options of a receiver, the first delivery would fail.
 *
 * @throws {ConfigurationError}
 */
export function checkReceiver(adapter: string, receiver: unknown): void {
  checkArgument(adapter, 'its argument', receiver, aReceiver);
}
