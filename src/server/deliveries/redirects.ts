import { problemWithUrl, type ReceiverAddresses } from '../service/address-policy.js';
import type { Attempt, AttemptResult } from './sender.js';

/** The largest number of redirects that one attempt follows. */
const redirectLimit = 3;

/** The result of one request of an attempt, and the `Location` of its response. */
export interface Answered {
  readonly result: AttemptResult;
  readonly location?: string | null | undefined;
}

/**
 * Makes an attempt with one request. If the attempt follows redirects, each redirect adds a POST of the same bytes with
 * the same signature, to a URL that the server's `receiverAddresses` allows.
 */
export async function followingRedirects(
  attempt: Attempt,
  allowed: ReceiverAddresses,
  request: (attempt: Attempt) => Promise<Answered>,
): Promise<AttemptResult> {
  let { url } = attempt;
  for (let followed = 0; ; followed += 1) {
    const { result, location } = await request({ ...attempt, url });
    if (attempt.redirects === 'fail' || !isRedirect(result) || !location) return result;
    if (followed === redirectLimit) {
      return { ...result, error: `the receiver redirected more than ${redirectLimit} times` };
    }
    if (!URL.canParse(location, url)) return { ...result, error: 'the receiver redirected to no URL' };
    url = new URL(location, url).href;
    const problem = problemWithUrl(url, allowed);
    if (problem !== undefined) {
      return { ...result, error: `the receiver redirected to a URL that ${problem}` };
    }
  }
}

function isRedirect({ status = 0 }: AttemptResult): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}
