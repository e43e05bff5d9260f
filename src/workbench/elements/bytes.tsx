import { useState } from 'preact/hooks';
import { bytesIn, hexDump, indented } from '../reading/bytes.js';
import { counted } from '../reading/counted.js';
import { Choices } from './action.js';

const looks = ['text', 'indented', 'hex'] as const;

interface BytesProperties {
  readonly text: string;
  /** The bytes, if they are not the UTF-8 of the text. */
  readonly base64?: string | undefined;
  /** The length of the whole body, of which this is the beginning. Undefined if that is unknown. */
  readonly whole?: number | undefined;
  readonly name: string;
}

/** The bytes of a body: exactly as they were, with indentation, or in hexadecimal. */
export function Bytes({ text, base64, name, ...properties }: BytesProperties) {
  const [look, setLook] = useState<(typeof looks)[number]>('text');
  const bytes = bytesIn(text, base64);
  const whole = 'whole' in properties ? properties.whole : bytes.length;
  const shown = { text: () => text, indented: () => indented(text), hex: () => hexDump(bytes) }[look]();
  const count = counted(bytes.length);
  const length =
    whole === bytes.length ? count : `the first ${count} of ${whole === undefined ? 'more' : counted(whole)}`;
  return (
    <div class="bytes">
      <Choices label={`How to show ${name}`} options={looks} chosen={look} onChoose={setLook}>
        <small>
          {length} bytes{base64 !== undefined && ', not UTF-8'}
        </small>
      </Choices>
      <pre tabIndex={0} role="region" aria-label={name}>
        {shown}
      </pre>
    </div>
  );
}
