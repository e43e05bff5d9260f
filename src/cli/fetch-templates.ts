import { MessagingAutomation } from '../index.js';
import { CommandFailure } from './command-failure.js';
import { baseUrlOf } from './deployment-root.js';
import { messageOf } from './message-of.js';
import { printable } from './printable.js';
import { UsageError } from './usage-error.js';

/**
 * Asks a deployment for its templates.
 *
 * @throws UsageError where the address makes no sense, CommandFailure where there is no list.
 */
export async function fetchTemplates({
  url,
  apiKey,
}: {
  readonly url: string;
  readonly apiKey: string;
}): Promise<readonly unknown[]> {
  const messaging = clientFor(url, apiKey);
  try {
    return await messaging.templates.list();
  } catch (error) {
    throw new CommandFailure(printable(messageOf(error)));
  }
}

function clientFor(url: string, apiKey: string): MessagingAutomation {
  try {
    // As the other commands do, it asks whatever server it is told to, and reads what that shows.
    return new MessagingAutomation({
      baseUrl: baseUrlOf(url),
      apiKey,
      allowInsecureHttp: true,
      validation: 'off',
    });
  } catch (error) {
    throw new UsageError(printable(messageOf(error)));
  }
}
