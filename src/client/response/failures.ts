/** What a client loads with its first failure. */
export { connectionFailure } from './connection-failure.js';
export { errorOfResponse, readErrorBody, subjectOf404 } from './response-failure.js';
export { errorOfForeign, errorOfUnusable } from './unusable-response.js';
