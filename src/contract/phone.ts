import { fitting, text } from './schema.js';

/** A phone number in E.164 format, a `+` and up to fifteen digits that do not begin with 0. */
export const phonePattern = /^\+[1-9][0-9]{1,14}$/;

/** Whether a value is a phone number in E.164 format. */
export function isPhone(value: unknown): value is string {
  return typeof value === 'string' && phonePattern.test(value);
}

/** A phone number that has this pattern. */
export const phoneSchema = fitting(
  text(),
  isPhone,
  'must be a phone number in E.164 format, such as +15551234567',
);

/**
 * Masks a phone number for an error message or a log line. Shows the last two digits at most.
 */
export function maskPhone(phone: string): string {
  return `${phone.startsWith('+') ? '+' : ''}***${phone.length > 6 ? phone.slice(-2) : ''}`;
}

/** The error for a phone in a query that has a space instead of its +. */
export const lostPlus = 'begins with a space: send its + URL-encoded, as %2B';
