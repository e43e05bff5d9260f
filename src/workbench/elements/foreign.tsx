import { seen } from '../reading/foreign-text.js';
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

/** The first letter of a contact's name, in a color that stays the contact's own. The name is next to it. */
export function Initial({ id, name = '', phone }: Person) {
  const [letter = ''] = name === '' ? phone.slice(-2) : seen(name);
  const sum = [...id].reduce((total, character) => (total * 31 + character.charCodeAt(0)) % 9_973, 7);
  return (
    <i class="initial" style={{ '--hue': (sum % hues) * 30 }} aria-hidden="true">
      {letter.toUpperCase()}
    </i>
  );
}
