import type { Clock } from '../../foundation/clock.js';
import type { DeliveryClaim } from './delivery-claims.js';

/** Within one lease, so that a renewal which fails is not the end of the claim. */
const renewalsPerLease = 3;

/**
 * Renews a claim until told to stop, or until somebody else has it. Where the process dies it is not told, and the
 * lease lapses.
 *
 * @returns What stops it.
 */
export function keepRenewing(
  claim: DeliveryClaim,
  lease: number,
  clock: Clock,
  onFailure: (error: unknown) => void,
): () => void {
  let cancel = () => {};
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    cancel();
  };
  const wait = () => {
    cancel = clock.setTimer(renew, lease / renewalsPerLease);
  };
  const renew = () => {
    wait(); // however long the store takes
    claim
      .renew()
      .then((isHeld) => {
        if (!isHeld) stop();
      })
      .catch((error: unknown) => {
        if (!isStopped) onFailure(error);
      });
  };
  wait();
  return stop;
}
