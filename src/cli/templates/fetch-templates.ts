import { MessagingAutomation } from '../../index.js';
import { baseUrlOf } from '../running-server/deployment-root.js';
import { CommandFailure, messageOf, UsageError } from '../terminal/failures.js';
import { printable } from '../terminal/printable.js';

/**
 * Fetches the templates of a deployment.
 *
 * @throws UsageError if the URL is invalid, CommandFailure if the deployment returns no list.
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
    // As the other commands do, it calls any server over http, and reads templates of any shape.
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
