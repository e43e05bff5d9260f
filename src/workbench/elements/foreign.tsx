import { firstCharacter, seen } from '../reading/foreign-text.js';
import type { Person } from '../reading/people.js';
import './foreign.css';

interface ForeignProperties {
  readonly text: string;
  /** The most characters that show. */
  readonly most?: number;
}

/** Text from a contact, a template or a receiver. Its direction does not reach the text around it. */
export function Foreign({ text, most }: ForeignProperties) {
  return <bdi class="foreign">{seen(text, most)}</bdi>;
}

const hues = 12;

/** The beginning of a contact's name, in a color that stays the phone's own. The name is next to it. */
export function Initial({ name = '', phone }: Pick<Person, 'name' | 'phone'>) {
  const sign = name === '' ? phone.slice(-2) : firstCharacter(seen(name, 100));
  const sum = [...phone].reduce((total, character) => (total * 31 + character.charCodeAt(0)) % 9_973, 7);
  return (
    <i class="initial" style={{ '--hue': (sum % hues) * 30 }} aria-hidden="true">
      {sign.toUpperCase()}
    </i>
  );
}
