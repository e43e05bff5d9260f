/** What a client loads with its first idempotency key. */
export { callOnce } from './call-once.js';
export { keyedSend, keyedTrack } from './key-record.js';
export { settleForClient, unsettledForClient } from './unsettled.js';
