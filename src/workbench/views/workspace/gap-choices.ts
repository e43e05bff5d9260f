import type { specGapChoices } from '../../../server/model/spec-gaps.js';

/** The values of each switch, the default first. The compiler holds them to the server's. */
export const gapChoices: typeof specGapChoices = {
  errorBody: ['nested', 'flat', 'code', 'text', 'html', 'empty'],
  listBody: ['data', 'array', 'named'],
  contactBody: ['bare', 'contact', 'data'],
  updateAnswer: ['contact', 'empty'],
  unauthorizedStatus: [401, 403],
  invalidRequestStatus: [400, 422],
  unreadableBodyStatus: ['own', 400, 422],
  unknownIdStatus: [404, 410],
  unencodedPlus: ['refuse', 'accept'],
  requiredWebhookFields: ['url and events', 'url'],
  secretInList: ['left out', 'shown'],
  consentEventData: ['full', 'id', 'empty'],
  templateRecord: ['full', 'id'],
  retriedBody: ['same', 're-stamped'],
  receiverRedirect: ['fail', 'follow'],
  upsertOfExisting: ['merge', 'replace'],
  changedPhone: ['refuse', 'ignore'],
  sendToOptedOut: ['allow', 'refuse'],
  unknownTemplate: ['send_failed', 'not_found'],
  sendChecks: ['quota first', 'template first'],
  rejectedSend: ['spends nothing', 'spends one'],
  nestedProperty: ['refuse', 'accept'],
};
