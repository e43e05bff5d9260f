import { parsed } from '../surface/refused-error.js';

/** A piece of JSON with what it is, as its color shows it. */
export interface JsonPiece {
  readonly kind: 'key' | 'text' | 'number' | 'word' | 'mark';
  readonly text: string;
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|([{}[\],])/g;

/**
 * The pieces of JSON with line breaks and indentation, and nothing else changed: parsing would round large numbers, and lose a key that
 * stands twice. Undefined for other text.
 */
export function jsonPieces(json: string): readonly JsonPiece[] | undefined {
  if (!/^\s*[{[]/.test(json) || parsed(json) === undefined) return undefined;
  const pieces: JsonPiece[] = [];
  const add = (kind: JsonPiece['kind'], text: string) => pieces.push({ kind, text });
  let depth = 0;
  const newLine = () => `\n${'  '.repeat(depth)}`;
  for (const { 0: whole, 1: text, 2: colon, 3: number, 4: word, index } of json.matchAll(token)) {
    const last = pieces.at(-1)?.text ?? '';
    if (text !== undefined && colon !== undefined) {
      add('key', text);
      add('mark', ': ');
    } else if (text !== undefined) add('text', text);
    else if (number !== undefined) add('number', number);
    else if (word !== undefined) add('word', word);
    else if (whole === ',') add('mark', `,${newLine()}`);
    else if (whole === '{' || whole === '[') {
      depth += 1;
      const isEmpty = /^\s*[}\]]/.test(json.slice(index + 1, index + 100));
      add('mark', isEmpty ? whole : `${whole}${newLine()}`);
    } else {
      depth -= 1;
      add('mark', /[{[]$/.test(last) ? whole : `${newLine()}${whole}`);
    }
  }
  return pieces;
}
