import type { PropertyValue } from '../../contract/contact.js';

/** The kinds of values that a property can have. */
export const propertyKinds = ['text', 'number', 'yes or no', 'list'] as const;
export type PropertyKind = (typeof propertyKinds)[number];

export function kindOf(value: PropertyValue): PropertyKind {
  if (typeof value === 'object') return 'list';
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'yes or no' : 'text';
}

/** A value as a person writes it. */
export function written(value: PropertyValue): string {
  if (typeof value === 'object') return value.join(', ');
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

/**
 * The value that a person wrote.
 *
 * @throws Error that says what to write instead.
 */
export function readValue(kind: PropertyKind, text: string): PropertyValue {
  switch (kind) {
    case 'text':
      return text;
    case 'number': {
      const number = Number(text);
      if (text.trim() === '' || !Number.isFinite(number))
        throw new Error('Write a number, such as 3 or 2.5.');
      return number;
    }
    case 'yes or no': {
      const [isYes, isNo] = [/^(yes|true)$/i.test(text.trim()), /^(no|false)$/i.test(text.trim())];
      if (!isYes && !isNo) throw new Error('Write yes or no.');
      return isYes;
    }
    case 'list':
      return text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
  }
}
