import { useSignal } from '@preact/signals';
import { byteLength, hexDump, indented } from '../reading/bytes.js';

const looks = ['text', 'indented', 'hex'] as const;

/** The bytes of a body: exactly as they were, with indentation, or in hexadecimal. */
export function Bytes({ text, name }: { readonly text: string; readonly name: string }) {
  const look = useSignal<(typeof looks)[number]>('text');
  const shown = { text: () => text, indented: () => indented(text), hex: () => hexDump(text) }[look.value]();
  return (
    <div class="bytes">
      <div class="choices" role="group" aria-label={`How to show ${name}`}>
        {looks.map((each) => (
          <button
            key={each}
            type="button"
            class="choice"
            aria-pressed={look.value === each}
            onClick={() => {
              look.value = each;
            }}
          >
            {each}
          </button>
        ))}
        <small>{byteLength(text).toLocaleString('en')} bytes</small>
      </div>
      <pre tabIndex={0} role="region" aria-label={name}>
        {shown}
      </pre>
    </div>
  );
}
