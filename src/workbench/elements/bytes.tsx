import { useSignal } from '@preact/signals';
import { bytesIn, hexDump, indented } from '../reading/bytes.js';
import { counted } from '../reading/counted.js';
import { Choice } from './action.js';

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
  const look = useSignal<(typeof looks)[number]>('text');
  const bytes = bytesIn(text, base64);
  const whole = 'whole' in properties ? properties.whole : bytes.length;
  const shown = { text: () => text, indented: () => indented(text), hex: () => hexDump(bytes) }[look.value]();
  const count = counted(bytes.length);
  return (
    <div class="bytes">
      <div class="choices" role="group" aria-label={`How to show ${name}`}>
        {looks.map((each) => (
          <Choice
            key={each}
            isOn={look.value === each}
            onClick={() => {
              look.value = each;
            }}
          >
            {each}
          </Choice>
        ))}
        <small>
          {whole === bytes.length && `${count} bytes`}
          {whole !== bytes.length &&
            `the first ${count} of ${whole === undefined ? 'more' : counted(whole)} bytes`}
          {base64 !== undefined && ', not UTF-8'}
        </small>
      </div>
      <pre tabIndex={0} role="region" aria-label={name}>
        {shown}
      </pre>
    </div>
  );
}
