import type { ContactProperties } from '../../../contract/contact.js';
import type { Consent } from '../../../server/model/records.js';

/** The contact that the phone shows. */
export interface Contact {
  readonly id: string;
  readonly phone: string;
  readonly properties: ContactProperties;
  readonly consent: Consent;
}
