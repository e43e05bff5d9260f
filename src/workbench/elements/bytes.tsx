import { useMemo, useState } from 'preact/hooks';
import { bytesIn, hexDump } from '../reading/bytes.js';
import { counted } from '../reading/counted.js';
import { type JsonPiece, jsonPieces } from '../reading/json-text.js';
import { Choices } from './action.js';
import { Copy } from './copy.js';
import './bytes.css';

const looks = ['indented', 'text', 'hex'] as const;

interface BytesProperties {
  readonly text: string;
  /** The bytes, if they are not the UTF-8 of the text. */
  readonly base64?: string | undefined;
  /** The length of the whole body, of which this is the beginning. Undefined if that is unknown. */
  readonly whole?: number | undefined;
  readonly name: string;
}

/** The bytes of a body: JSON with indentation and colors, the text exactly as it was, or in hexadecimal. */
export function Bytes({ text, base64, name, ...properties }: BytesProperties) {
  const pieces = useMemo(() => jsonPieces(text), [text]);
  const [chosen, setLook] = useState<(typeof looks)[number]>();
  const look = chosen ?? (pieces === undefined ? 'text' : 'indented');
  const bytes = bytesIn(text, base64);
  const whole = 'whole' in properties ? properties.whole : bytes.length;
  const count = counted(bytes.length);
  const length =
    whole === bytes.length ? count : `the first ${count} of ${whole === undefined ? 'more' : counted(whole)}`;
  return (
    <div class="bytes">
      <Choices label={`How to show ${name}`} options={looks} chosen={look} onChoose={setLook}>
        <small>
          {length} bytes{base64 !== undefined && ', not UTF-8'}
        </small>
        <Copy text={text}>Copy</Copy>
      </Choices>
      <pre tabIndex={0} role="region" aria-label={name}>
        {look === 'hex' && hexDump(bytes)}
        {look === 'text' && text}
        {look === 'indented' && <Json pieces={pieces ?? []} text={text} />}
      </pre>
    </div>
  );
}

interface HeadersProperties {
  /** The line before the headers. */
  readonly first?: string;
  readonly of: readonly (readonly [name: string, value: string])[];
}

/** The headers of a request or a response, a line each. */
export function Headers({ first, of }: HeadersProperties) {
  const lines = of.map(([name, value]) => `${name}: ${value}`);
  return <pre class="headers">{[...(first === undefined ? [] : [first]), ...lines].join('\n')}</pre>;
}

/** The most pieces that have a color each. A body with more would make the page slow. */
const mostColored = 4_000;

function Json({ pieces, text }: { readonly pieces: readonly JsonPiece[]; readonly text: string }) {
  if (pieces.length === 0) return <>{text}</>;
  if (pieces.length > mostColored) return <>{pieces.map((piece) => piece.text).join('')}</>;
  return (
    <>
      {pieces.map((piece, place) =>
        piece.kind === 'mark' ? (
          piece.text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text keep their order.
          <span key={place} class={`json-${piece.kind}`}>
            {piece.text}
          </span>
        ),
      )}
    </>
  );
}
