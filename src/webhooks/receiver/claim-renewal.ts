import type { Clock } from '../../foundation/clock.js';
import type { DeliveryClaim } from './delivery-claim.js';
import { ReceiverError } from './errors.js';

/** Several in one lease, so that one failed renewal does not end the claim. */
const renewalsPerLease = 3;

/**
 * Renews a claim until it is stopped, or until another holder has the delivery. The claim of a dead process expires.
 *
 * @returns A function that stops the renewal.
 */
export function keepRenewing(
  claim: DeliveryClaim,
  lease: number,
  clock: Clock,
  report: (error: unknown) => void,
): () => void {
  let cancelTimer = () => {};
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    cancelTimer();
  };
  const wait = () => {
    cancelTimer = clock.setTimer(renew, lease / renewalsPerLease);
  };
  const renew = async () => {
    wait(); // does not wait for the store
    try {
      if ((await claim.renew()) || isStopped) return;
      stop();
      report(claimLost());
    } catch (error) {
      if (!isStopped) report(error);
    }
  };
  wait();
  return stop;
}

function claimLost(): ReceiverError {
  return new ReceiverError(
    'claim_lost',
    'The claim on a delivery ended while its handlers ran, so another process may handle the delivery too. ' +
      'Check that the dedupe store keeps keys for as long as it is asked to, and that nothing blocks this process ' +
      'for as long as `lease`.',
  );
}
