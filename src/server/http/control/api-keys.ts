import { jsonAnswer } from '../../answers/answer.js';
import type { Application } from '../application.js';
import { bearerKey } from '../application.js';
import type { ReceivedRequest } from '../received-request.js';

/** More keys and fewer. The key that is rotated or revoked is the one that the request carries, so no other place has one. */
export function serveApiKeys(application: Application): void {
  application.handle('POST', '/control/api-keys', async (_, { keys }) =>
    jsonAnswer(201, { apiKey: await keys.issue() }),
  );
  application.handle('POST', '/control/api-keys/rotate', async ({ request }, { keys }) =>
    jsonAnswer(201, { apiKey: await keys.rotate(carriedBy(request)) }),
  );
  application.handle('DELETE', '/control/api-keys', async ({ request }, { keys }) => {
    await keys.revoke(carriedBy(request));
    return { status: 204, headers: {} };
  });
}

function carriedBy(request: ReceivedRequest): string {
  return bearerKey(request.header('authorization')) ?? '';
}
