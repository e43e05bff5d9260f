import type { FetchFunction } from '../../foundation/fetch-function.js';
import { NotSentError } from '../errors/no-response-errors.js';
import type { Transport } from './transport.js';

/** Loaded at the first call, because the import takes 20 ms: ky makes Node load its fetch. */
const load = () => import('./ky-transport.js');
let loaded: ReturnType<typeof load> | undefined;

/** The transport over ky and `fetch`. A load that failed is tried again by the next attempt: the file may be back by then. */
export function defaultTransport(customFetch: FetchFunction | undefined): Transport {
  return {
    announcesSending: true,
    async exchange(request) {
      loaded ??= load();
      const { exchangeOverKy } = await loaded.catch((error: unknown) => {
        loaded = undefined;
        throw new NotSentError(error);
      });
      return exchangeOverKy(request, customFetch);
    },
  };
}
