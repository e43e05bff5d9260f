import type { PropertyValue } from '../../contract/contact.js';
import type { PropertyCondition } from '../model/property-condition.js';
import type { ContactRecord } from '../model/records.js';

/** Reads a property of a contact. The phone is a property too. */
export function propertyOf(contact: ContactRecord, name: string): PropertyValue | undefined {
  if (name === 'phone') return contact.phone;
  // Own properties only: every object inherits names such as `constructor`.
  return Object.hasOwn(contact.properties, name) ? contact.properties[name] : undefined;
}

/** Whether a contact fulfills the condition. */
export function meets(contact: ContactRecord, condition: PropertyCondition): boolean {
  const value = propertyOf(contact, condition.property);
  if ('equals' in condition) return areEqual(value, condition.equals);
  if ('exists' in condition) return (value !== undefined) === condition.exists;
  if ('includes' in condition) return Array.isArray(value) && value.includes(condition.includes);
  if (typeof value !== 'number') return false;
  return 'atLeast' in condition ? value >= condition.atLeast : value < condition.below;
}

function areEqual(value: PropertyValue | undefined, wanted: PropertyValue): boolean {
  if (!Array.isArray(value) || !Array.isArray(wanted)) return value === wanted;
  return value.length === wanted.length && value.every((item, index) => item === wanted[index]);
}
