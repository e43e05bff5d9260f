import type { ContactProperties } from '../../contract/contact.js';
import type { Consent } from '../../server/model/records.js';
import { folded } from './foreign-text.js';

/** A contact as a list shows it. */
export interface Person {
  readonly id: string;
  readonly phone: string;
  /** The first name, if the contact has one. */
  readonly name: string | undefined;
}

/** A contact as the page calls them: by the name, or else by the phone. */
export function nameOf({ name, phone }: Person): string {
  return name ?? phone;
}

/** The first name among the properties of a contact. */
export function firstNameIn(properties: object): string | undefined {
  const { firstName, first_name: other, name } = Object(properties);
  return [firstName, other, name].find((value) => typeof value === 'string' && value !== '');
}

/** Whether a person's phone or name contains a text. */
export function isFound({ phone, name = '' }: Person, text: string): boolean {
  const digits = text.replace(/[^\d+]/g, '');
  return (digits !== '' && phone.includes(digits)) || folded(name).includes(folded(text.trim()));
}

/** The contact that the phone shows. */
export interface PhoneContact {
  readonly id: string;
  readonly phone: string;
  readonly properties: ContactProperties;
  readonly consent: Consent;
}
